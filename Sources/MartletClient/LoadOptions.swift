/// How a value is loaded that is not in the cache.
public struct LoadOptions: Hashable, Sendable {
    /// Whether a stale value is good enough. Otherwise it counts as a miss.
    public var allowsStale = false
    /// What the read asks for beside that. Its timeout bounds the read and the store, each for
    /// itself, and the waiting for somebody else's load.
    public var read = ReadOptions()

    public init() {}
}

/// What a loading closure is told.
public struct LoadContext: Sendable {
    /// Whether the cache will take the value: this caller holds the load lease. `false` if the
    /// cache cannot be reached or another caller took too long over the same key.
    public let willStore: Bool
}
