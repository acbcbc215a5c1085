public import CacheModel

/// A value from the cache or its origin, with the proof of its freshness.
public struct CachedValue: Sendable {
    /// Where a value came from.
    public enum Tier: String, Hashable, Sendable, CustomStringConvertible {
        case memory
        case disk
        /// Loaded just now, by the caller's own closure or by the node.
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
    /// Whether the value may be older than the log: served because the policy or the caller allows
    /// it.
    public var isStale = false
    /// Whether it is stale and its namespace allows it in place of a load.
    var isTolerated = false
    /// Whether it is stale because of a soft invalidation.
    public var isSoftInvalidated = false
    /// Whether an invalidation during its load covers it. It is right for a reader that asked
    /// before the invalidation, and must not be kept.
    public var isOvertaken = false
    /// Whether its origin forbids caching it (`no-store`, `private`, `Vary: *`): it is only for
    /// this caller. Only if details were asked for; ``timeToLive`` is zero in any case.
    public var mustNotBeKept = false
    /// Whether it is fenced: no invalidation can have been missed between reading the origin and
    /// storing. Never for an overtaken value.
    public var isFenced = false
    /// The position in the log that the value reflects. For an overtaken value, the position at the
    /// beginning of its load; ``CacheModel/LogPosition/none`` if details were not asked for.
    public var position = LogPosition.none
    /// The node that answered; `nil` for a value straight from the origin.
    public var node: NodeID?
    /// The node's state at that moment, which limits its promises; `nil` straight from the origin.
    public var state: NodeState?
    /// After a load: why the value was not stored. `nil` if it was, or came from the cache.
    public var notStored: CacheError?

    /// A value straight from its origin.
    init(origin bytes: [UInt8]) {
        self.bytes = bytes
        tier = .origin
    }
}
