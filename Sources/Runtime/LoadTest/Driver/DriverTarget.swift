import CacheModel

/// The nodes that one thread asks.
struct DriverTarget: Equatable, Sendable {
    /// Only this node; `nil` asks each key's owner.
    var node: NodeID?
    /// Shards to connect to.
    var shardCount = 1
    /// Whether it is our own echo.
    var isEcho = false
}
