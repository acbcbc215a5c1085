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
