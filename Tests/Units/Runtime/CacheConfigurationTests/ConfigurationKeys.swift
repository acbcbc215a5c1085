/// The keys of the file, written out once more so that the text and the reference can be held
/// against them.
enum ConfigurationKeys {
    static let root = [
        "version", "topology", "publisher", "nodes", "defaults", "namespaces", "gateway",
    ]
    static let publisher = [
        "endpoint", "live-endpoint", "lease", "heartbeat", "retention", "log", "log-sync",
        "http",
    ]
    static let gateway = [
        "bind", "http", "tokens", "jwt-keys", "jwt-audience", "jwt-issuer", "allow-origin",
        "tls-certificate", "tls-key", "max-body", "max-connections", "idle",
    ]
    static let retention = ["records", "bytes", "age"]
    static let node = [
        "id", "shards", "weight", "memory", "entries-max", "eviction", "memory-pressure", "spin",
        "io-threads", "warm-up", "warm-up-keys", "warm-up-rate", "warm-up-bytes", "disk",
        "disk-directory", "disk-reads", "disk-write-limit", "disk-free", "queue-directory", "http",
        "sample-log", "port", "endpoints",
    ]
    static let policy = [
        "ttl", "ttl-max", "ttl-jitter", "value-max", "suspect", "suspect-window",
        "blind-set", "hold-off", "load-lease", "stale-window", "replica-lag",
    ]
    static let quota = [
        "memory-max", "memory-guaranteed", "entries-max", "when-full", "disk-max",
    ]
    static let origin = [
        "origin", "url", "method", "body", "headers", "tls", "authority", "certificate", "key",
        "read", "coalesce", "lifetime", "stale-while-revalidate",
        "stale-if-error", "negative-ttl", "soft-timeout", "timeout", "concurrency", "queue",
        "retries", "breaker-pause", "early-refresh", "version-header", "write-behind",
    ]
    /// Of a log on etcd, and of several publishers.
    static let etcd = [
        "endpoints", "prefix", "user", "password-file", "ca", "certificate", "key",
        "state-directory",
    ]
    static let publishers = ["id", "endpoint", "live-endpoint", "http", "state-directory"]
    static let ofSeveral = ["publishers", "etcd"] + etcd + publishers
    static let all = root + publisher + gateway + retention + node + policy + quota + origin
}
