import CacheLoading
import CacheMemory
import CacheModel

/// What a load came to, for those who waited for it. Shared by all of them.
///
/// The value is here and not only in memory: it may not have been kept, or have left again. For a
/// reader whose request has no room to hold it, it is in memory alone, under ``identity``: what
/// else memory has of the key is older, or another question's answer.
final class LoadResult: Sendable {
    enum Content: Sendable {
        case value([UInt8], LoadedFacts)
        /// A value that whoever wants to see it looks for in memory.
        case inMemory(LoadedFacts, valueBytes: Int)
        case absent(LoadedFacts)
        /// What memory has is the answer: the origin has confirmed it, or it was stored meanwhile.
        case held(isConfirmed: Bool)
        case failed(LoadFailure, retryAfter: Duration?)
    }

    let content: Content
    /// Of the entry that the load stored or confirmed, or that was found to be newer: no other is
    /// an answer to who waited. `nil`: memory has none.
    let identity: UInt64?
    /// What was applied before the origin was asked.
    let fill: FillStamp
    let endedAt: Instant
    /// Of a value, and of there being none.
    let life: LoadLife?

    init(
        _ content: Content, identity: UInt64? = nil, fill: FillStamp, endedAt: Instant,
        life: LoadLife? = nil
    ) {
        self.content = content
        self.identity = identity
        self.fill = fill
        self.endedAt = endedAt
        self.life = life
    }

    /// The same, now that it is in memory as that; `nil`: it is not.
    func stored(as identity: UInt64?) -> LoadResult {
        LoadResult(content, identity: identity, fill: fill, endedAt: endedAt, life: life)
    }

    /// How many bytes of a value are held here.
    var heldBytes: Int {
        if case .value(let bytes, _) = content { bytes.count } else { 0 }
    }

    /// The same, for readers that hold no value.
    func withoutValue() -> LoadResult {
        guard case .value(let bytes, let facts) = content else { return self }
        let content = Content.inMemory(facts, valueBytes: bytes.count)
        return LoadResult(content, identity: identity, fill: fill, endedAt: endedAt, life: life)
    }
}
