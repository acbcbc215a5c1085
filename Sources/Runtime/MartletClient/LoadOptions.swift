/// How to load a value on a miss.
public struct LoadOptions: Hashable, Sendable {
    /// Whether a stale value is good enough. Otherwise it counts as a miss.
    public var allowsStale = false
    /// Other options of the read. Its timeout bounds the read, the store and the wait for another
    /// caller's load, each by itself.
    public var read = ReadOptions()

    public init() {}
}
