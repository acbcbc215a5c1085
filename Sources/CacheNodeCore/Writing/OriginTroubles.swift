import CacheModel

/// What the node cannot do for its origins, for the shard that tells.
struct OriginTroubles {
    var queue = QueueDepth()
    /// Namespaces whose origin is configured and switched off, because a variable is missing.
    var originsOff: [Namespace] = []
}
