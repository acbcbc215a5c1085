public import CacheModel

/// How keys are loaded ahead of need.
public struct PrefetchOptions: Hashable, Sendable {
    /// Most keys in a second, 1 to 1 000 000; `nil` sends requests as fast as answers arrive.
    public var perSecond: Int?
    /// Most keys in flight, 1 to 1 024. If the caller is cancelled, nodes still load the keys in
    /// flight.
    public var inFlightMax = 64
    /// Fresh values that are older than this are loaded anew; `nil` loads no fresh value.
    public var maxAge: Duration?
    /// Only this node. `nil`: the key's owner; in a replicated topology every node.
    public var node: NodeID?
    /// Timeout of one key for each attempt; a node waits for at most one minute of it.
    public var timeout: Duration = .seconds(30)

    public init() {}
}

/// The outcome of a prefetched key. For several nodes it is the least of their outcomes: the last
/// of these cases among their answers.
public enum PrefetchOutcome: Int, CaseIterable, Sendable {
    /// The value was in the cache and fresh: nothing was loaded.
    case fresh
    /// The origin has no such value, or was known to have none. The absence is cached, too.
    case absent
    /// The value was loaded, and is now in the cache.
    case loaded
    /// The value was loaded, and is not in the cache: the origin forbids caching, an invalidation
    /// came in between, or there was no capacity.
    case notKept
}
