import CacheModel

/// Problems of the node with its origins, for the shard that reports them.
struct OriginTroubles {
    var queue = QueueDepth()
    /// Namespaces whose origin is switched off, because a variable or file is missing.
    var originsOff: [Namespace] = []
}
