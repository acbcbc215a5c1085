import CacheModel

/// What the node cannot do for its origins, for the shard that tells.
struct OriginTroubles {
    var queue = QueueDepth()
    /// Namespaces with an origin that is switched off, because a variable or file is missing.
    var originsOff: [Namespace] = []
}
