import ByteCoding
import CacheModel
import CacheWire

/// A shard's answer to one request, decoded from its bytes.
struct Answer {
    struct Outcome {
        var status: ResultStatus?
        var flags: ResultFlags
        var detail: UInt8
        var ttlMilliseconds: UInt64
        var value: [UInt8]
        var token: FillToken?
        var renewable: Renewable?

        /// Whether the node vouches for its freshness.
        var isFresh: Bool {
            status == .hit && flags.isDisjoint(with: [.suspect, .overtaken])
        }

        /// The same for the statement that there is no value.
        var isVouchedFor: Bool {
            status == .miss ? flags == .negative && ttlMilliseconds > 0 : isFresh
        }

        /// Whether the origin returned it for this very request.
        var isLoaded: Bool { status == .hit && detail == Tier.origin.rawValue }
    }

    var place: ShardPlace
    var requestID: UInt64
    /// The step of the world at which the shard decided it.
    var step = 0
    /// `nil` for an ERROR.
    var proof: Proof?
    var outcomes: [Outcome] = []
    /// The entry that it gives to another node that copies it.
    var given: Given?

    /// An entry as stored by its shard.
    struct Given {
        var frame: [UInt8]
        var fill: Fill
        var holding: Holding
    }

    /// - Throws: ``Violation`` if the bytes do not follow the protocol.
    init(_ bytes: UnsafeRawBufferPointer, from place: ShardPlace) throws(Violation) {
        self.place = place
        do throws(WireRefusal) {
            let message = try MessageView(decoding: bytes)
            requestID = message.requestID
            guard message.type == .results else { return }
            var reader = ByteReader(message.body)
            proof = try Proof(decoding: &reader)
            for _ in 0..<message.count { outcomes.append(try Self.outcome(&reader)) }
            try reader.expectEnd()
        } catch {
            throw Violation("a shard answers with an undecodable message: \(error.sentence)")
        }
    }

    private static func outcome(_ reader: inout ByteReader) throws(WireRefusal) -> Outcome {
        let result = try OperationResult(decoding: &reader)
        var outcome = Outcome(
            status: result.status, flags: result.flags, detail: result.detail,
            ttlMilliseconds: result.ttlMilliseconds, value: [UInt8](result.value))
        guard result.fields.count > 0 else { return outcome }
        let fields = try ResultFields(decoding: result.fields)
        outcome.token = fields.token
        if fields.etag != nil || fields.version != .none {
            outcome.renewable = Renewable(validator: fields.etag, version: fields.version)
        }
        return outcome
    }
}
