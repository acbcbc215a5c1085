public import CacheModel
import CacheWire

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
    /// `Version.none` if it has none, or if details were not asked for.
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
    /// beginning of its load; `LogPosition.none` if details were not asked for.
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

    /// The value that a HIT or STALE carries.
    init(_ answer: OperationAnswer) {
        self.init(origin: answer.value)
        version = answer.fields.version
        etag = answer.fields.etag
        tags = answer.fields.tags
        representation = answer.fields.representation
        fillPosition = answer.fields.fillPosition
        mustNotBeKept = answer.fields.terms?.mustNotBeKept ?? false
        describe(answer.detail, answer.flags, isStale: answer.status == .stale)
        live(for: answer.ttlMilliseconds, age: answer.ageMilliseconds)
        prove(answer.proof, answer.node)
    }

    /// The value of a HIT or STALE without fields, copied out of its frame.
    init(_ result: OperationResult, _ proof: Proof, _ node: NodeID?) {
        self.init(origin: [UInt8](result.value))
        describe(result.detail, result.flags, isStale: result.status == .stale)
        live(for: result.ttlMilliseconds, age: result.ageMilliseconds)
        prove(proof, node)
    }

    private mutating func describe(_ detail: UInt8, _ flags: ResultFlags, isStale: Bool) {
        tier =
            switch CacheWire.Tier(rawValue: detail) {
            case .memory: .memory
            case .disk: .disk
            case .origin: .origin
            case .some(.none), nil: .unknown
            }
        self.isStale = isStale
        isTolerated = isStale && flags.contains(.tolerated)
        isSoftInvalidated = flags.contains(.soft)
        isOvertaken = flags.contains(.overtaken)
        isFenced = !flags.contains(.unfenced) && !isOvertaken
    }

    private mutating func live(for milliseconds: UInt64, age: UInt64) {
        self.age = .milliseconds(Int64(clamping: age))
        timeToLive = milliseconds == .max ? nil : .milliseconds(Int64(clamping: milliseconds))
    }

    private mutating func prove(_ proof: Proof, _ node: NodeID?) {
        // The shard stands at an invalidation that the value does not reflect.
        position = isOvertaken ? fillPosition ?? .none : proof.position
        self.node = node
        state = proof.state
    }
}
