import ByteCoding
import CacheModel
import CacheWire

/// One result of a RESULTS message, copied out of its frame, with the proof it came with.
struct OperationAnswer: Sendable {
    /// `nil`: a status this version does not know.
    var status: ResultStatus?
    var flags: ResultFlags
    var detail: UInt8
    var ageMilliseconds: UInt64
    var ttlMilliseconds: UInt64
    var fields = ResultFields()
    var value: [UInt8]
    var proof: Proof
    var node: NodeID?

    /// Reads the next result of a RESULTS body.
    init(
        decoding reader: inout ByteReader, proof: Proof, node: NodeID?
    ) throws(WireRefusal) {
        var ahead = reader
        let status = ResultStatus(rawValue: try ahead.next(UInt8.self))
        self.proof = proof
        self.node = node
        self.status = status
        guard status != nil else {
            try Self.pass(&reader)
            (flags, detail, ageMilliseconds, ttlMilliseconds, value) = ([], 0, 0, 0, [])
            return
        }
        let result = try OperationResult(decoding: &reader)
        flags = result.flags
        detail = result.detail
        ageMilliseconds = result.ageMilliseconds
        ttlMilliseconds = result.ttlMilliseconds
        if result.fields.count > 0 { fields = try ResultFields(decoding: result.fields) }
        value = [UInt8](result.value)
    }

    /// Passes over a result whose status is unknown, so that the ones behind it can be read.
    private static func pass(_ reader: inout ByteReader) throws(WireRefusal) {
        _ = try reader.take(4)
        let valueBytes = Int(try reader.next(UInt32.self))
        _ = try reader.take(16)
        let fieldsBytes = Int(try reader.next(UInt16.self))
        _ = try reader.take(6 + fieldsBytes + valueBytes)
    }

    var retryAfter: Duration? {
        fields.retryAfterMilliseconds.map { .milliseconds(Int64($0)) }
    }
}
