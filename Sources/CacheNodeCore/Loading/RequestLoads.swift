import CacheModel

/// What a request knows of the loads that it waited for.
struct RequestLoads: Sendable {
    /// By operation. One that is missing has not ended in time.
    var results: [Int: LoadResult] = [:]
    /// How many loads each operation has waited for.
    var counts: [Int: Int] = [:]
    /// What was applied when the request came in.
    var askedAt: LogPosition
    /// The last invalidation of a tag that was obeyed by then.
    var taggedAt: LogPosition
    /// The request will not wait any longer.
    var isLate = false
    /// Of its operations, those that wait for a prefetch.
    var prefetchCount = 0
    /// When its asker stops waiting.
    var deadline: Instant
}
