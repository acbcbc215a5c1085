import CacheLoading
import CacheMemory
import CacheModel

/// What a load came to, for those who waited for it. Shared by all of them.
///
/// The value is here and not only in memory: it may not have been kept, or have left again.
final class LoadResult: Sendable {
    enum Content: Sendable {
        case value([UInt8], LoadedFacts)
        case absent(LoadedFacts)
        /// What memory has is the answer, if it was filled at that stamp or later.
        case held(FillStamp)
        case failed(LoadFailure, retryAfter: Duration?)
    }

    let content: Content
    /// What was applied before the origin was asked.
    let fill: FillStamp
    let endedAt: Instant
    /// Of a value, and of there being none.
    let life: LoadLife?

    init(_ content: Content, fill: FillStamp, endedAt: Instant, life: LoadLife? = nil) {
        self.content = content
        self.fill = fill
        self.endedAt = endedAt
        self.life = life
    }
}
