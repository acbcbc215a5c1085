/// How a value is loaded that is not in the cache.
public struct LoadOptions: Hashable, Sendable {
    /// Whether a stale value is good enough. Otherwise it counts as a miss.
    public var allowsStale = false
    /// What the read asks for beside that. Its timeout bounds the read and the store, each for
    /// itself, and the waiting for somebody else's load.
    public var read = ReadOptions()

    public init() {}
}
