public import CacheModel

/// A value as it was found, with the proof of how fresh it is.
public struct CachedValue: Sendable {
    /// Where a value came from.
    public enum Tier: String, Hashable, Sendable, CustomStringConvertible {
        case memory
        case disk
        /// It was loaded just now, by the caller's own closure or by the node.
        case origin
        /// The node did not say.
        case unknown

        public var description: String { rawValue }
    }

    public var bytes: [UInt8]
    /// ``CacheModel/Version/none`` if it has none, or if details were not asked for.
    public var version = Version.none
    /// Only if details were asked for.
    public var etag: Validator?
    /// Only if details were asked for.
    public var tags: [Tag] = []
    /// What its bytes are, as it was stored with it or as its origin said; only if details were
    /// asked for. Bytes with a `contentEncoding` are in that coding, and nothing has decoded them.
    public var representation = Representation()
    /// The position at which it was stored; only if details were asked for.
    public var fillPosition: LogPosition?
    /// Time since it was stored or last validated.
    public var age: Duration = .zero
    /// Time left; `nil` never expires.
    public var timeToLive: Duration?
    public var tier: Tier = .unknown
    /// Whether it may be older than the log: served because the policy or the caller allows it.
    public var isStale = false
    /// Whether it is stale and its namespace lets it stand in place of a load.
    var isTolerated = false
    /// Whether a soft invalidation is why it is stale.
    public var isSoftInvalidated = false
    /// Whether an invalidation that came while it was loaded covers it: right for a question that
    /// was asked before, and not to be kept.
    public var isOvertaken = false
    /// Whether its origin forbids to keep it (`no-store`, `private`, `Vary: *`): it is for its
    /// asker. Only if details were asked for; ``timeToLive`` is zero in any case.
    public var mustNotBeKept = false
    /// Whether it was stored under the promise: no invalidation can have been missed between
    /// reading the origin and storing. Never of one that is overtaken.
    public var isFenced = false
    /// The position in the log that the value reflects. Of one that is overtaken, that at which its
    /// load began; ``CacheModel/LogPosition/none`` if details were not asked for.
    public var position = LogPosition.none
    /// Who answered; `nil` for a value that comes straight from the origin.
    public var node: NodeID?
    /// What the node may promise at that moment; `nil` straight from the origin.
    public var state: NodeState?
    /// After a load: why the value was not stored. `nil` if it was, or came from the cache.
    public var notStored: CacheError?

    /// A value straight from its origin.
    init(origin bytes: [UInt8]) {
        self.bytes = bytes
        tier = .origin
    }
}
