import CacheModel
import CacheWire

extension CachedValue {
    /// The value that a HIT or STALE carries.
    init(_ answer: OperationAnswer) {
        self.init(origin: answer.value)
        version = answer.fields.version
        etag = answer.fields.etag
        tags = answer.fields.tags
        fillPosition = answer.fields.fillPosition
        age = .milliseconds(Int64(clamping: answer.ageMilliseconds))
        timeToLive =
            answer.ttlMilliseconds == .max
            ? nil : .milliseconds(Int64(clamping: answer.ttlMilliseconds))
        tier =
            switch CacheWire.Tier(rawValue: answer.detail) {
            case .memory: .memory
            case .disk: .disk
            case .origin: .origin
            case .some(.none), nil: .unknown
            }
        isStale = answer.status == .stale
        isSoftInvalidated = answer.flags.contains(.soft)
        isOvertaken = answer.flags.contains(.overtaken)
        isFenced = !answer.flags.contains(.unfenced)
        position = answer.proof.position
        node = answer.node
        state = answer.proof.state
    }
}
