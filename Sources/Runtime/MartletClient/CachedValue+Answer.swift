import CacheModel
import CacheWire

extension CachedValue {
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
