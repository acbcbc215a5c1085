import CacheLoading
import CacheMemory
import CacheModel

/// The result of a load, shared by all readers that waited for it.
///
/// The value is here and not only in memory: it may not have been stored, or may have been evicted.
/// For a reader whose request has no space for it, it is in memory only, under ``identity``: any
/// other entry of the key is older, or another request's answer.
final class LoadResult: Sendable {
    enum Content: Sendable {
        case value([UInt8], LoadedFacts)
        /// A value that its readers must look up in memory.
        case inMemory(LoadedFacts, valueBytes: Int)
        case absent(LoadedFacts)
        /// The entry in memory is the answer: the origin has confirmed it, or it was stored
        /// meanwhile.
        case held(isConfirmed: Bool)
        case failed(LoadFailure, retryAfter: Duration?)
    }

    let content: Content
    /// Of the entry that the load stored or confirmed, or that was found to be newer: no other
    /// entry is an answer for the waiting readers. `nil`: none is in memory.
    let identity: UInt64?
    /// The position applied before the origin was asked.
    let fill: FillStamp
    let endedAt: Instant
    /// Of a value, or of its absence.
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

    /// The same, stored in memory under that identity; `nil`: not stored.
    func stored(as identity: UInt64?) -> LoadResult {
        LoadResult(content, identity: identity, fill: fill, endedAt: endedAt, life: life)
    }

    /// Bytes of the value held here.
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

/// The lifetime of a loaded value.
struct LoadLife: Sendable {
    /// When it is past its lifetime; `nil`: never.
    var freshUntil: Instant?
    /// When it is past its windows as well; `nil`: never.
    var end: Instant?
    var terms: LoadTerms
    /// Its age on arrival.
    var age: Duration

    /// The same until `latest` at most, and without a window after that.
    func cut(to latest: Instant) -> LoadLife {
        var life = self
        life.freshUntil = min(freshUntil ?? latest, latest)
        life.end = life.freshUntil
        life.terms = terms.withoutWindows
        return life
    }
}
