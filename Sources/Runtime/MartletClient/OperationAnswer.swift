import CacheModel
import CacheWire

/// One result of a RESULTS message, copied out of its frame, with the proof of that message.
struct OperationAnswer: Sendable {
    /// `nil` for a status that this version does not know.
    var status: ResultStatus?
    var flags: ResultFlags
    var detail: UInt8
    var ageMilliseconds: UInt64
    var ttlMilliseconds: UInt64
    var fields = ResultFields()
    var value: [UInt8]
    var proof: Proof
    var node: NodeID?

    init(_ result: OperationResult, proof: Proof, node: NodeID?) throws(WireRefusal) {
        self.proof = proof
        self.node = node
        status = result.status
        flags = result.flags
        detail = result.detail
        ageMilliseconds = result.ageMilliseconds
        ttlMilliseconds = result.ttlMilliseconds
        if result.fields.count > 0 { fields = try ResultFields(decoding: result.fields) }
        value = [UInt8](result.value)
    }

    var retryAfter: Duration? {
        fields.retryAfterMilliseconds.map { .milliseconds(Int64($0)) }
    }
}
