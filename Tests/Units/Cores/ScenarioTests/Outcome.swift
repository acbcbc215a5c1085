import ByteCoding
import CacheModel
import CacheWire

/// One result of a shard, copied out of its frame.
struct Outcome {
    var status: ResultStatus
    var flags: ResultFlags
    var detail: UInt8
    var value: [UInt8]
    var fields: ResultFields
    var proof: Proof

    var text: String { String(decoding: value, as: UTF8.self) }
    var refusal: StoreRefusal? { status == .refused ? StoreRefusal(rawValue: detail) : nil }
    var token: FillToken? { fields.token }

    /// The first result in a reply; `nil` if it has none.
    init?(first frame: [UInt8]) {
        let decoded: Outcome? = frame.withUnsafeBytes { bytes in
            guard let message = try? MessageView(decoding: bytes), message.type == .results else {
                return nil
            }
            var reader = ByteReader(message.body)
            guard let proof = try? Proof(decoding: &reader),
                let result = try? OperationResult(decoding: &reader), let status = result.status,
                let fields = try? ResultFields(decoding: result.fields)
            else { return nil }
            return Outcome(result, status, fields, proof)
        }
        guard let decoded else { return nil }
        self = decoded
    }

    private init(
        _ result: OperationResult, _ status: ResultStatus, _ fields: ResultFields, _ proof: Proof
    ) {
        self.status = status
        flags = result.flags
        detail = result.detail
        value = [UInt8](result.value)
        self.fields = fields
        self.proof = proof
    }
}
