import CacheModel

/// Whom one thread asks.
struct DriverTarget: Equatable, Sendable {
    /// Only this node; `nil` asks each key's owner.
    var node: NodeID?
    /// Shards that it has a connection to.
    var shardCount = 1
    /// Whether it is an echo of our own.
    var isEcho = false
}
