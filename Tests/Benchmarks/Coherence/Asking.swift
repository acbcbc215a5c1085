import ByteCoding
import CacheModel
import CacheWire
import TestSupport

/// Requests as bytes, and what is read of their answers.
enum Asking {
    static let deadlineMilliseconds: UInt32 = 120_000

    static func message(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter(capacityBytes: 256)
        body(&writer)
        return writer.array
    }

    // MARK: Invalidations

    static func invalidation(of scopes: [Scope], wait: WaitMode, id: UInt64 = 0) -> [UInt8] {
        let request = InvalidateRequest(
            scopes: scopes, wait: wait, timeoutMilliseconds: deadlineMilliseconds,
            operation: .none)
        return message { request.encode(requestID: id, into: &$0) }
    }

    /// A key of eight bytes: an invalidation of it is a record of 64.
    static func shortKey(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt64(number).littleEndian) { [UInt8]($0) }
    }

    /// A key of sixteen bytes.
    static func key(_ number: Int) -> [UInt8] {
        shortKey(number) + shortKey(number &* 0x9E37_79B9)
    }

    static func scope(ofKey bytes: [UInt8]) throws -> Scope {
        guard let key = CacheKey(bytes: bytes) else { throw GaveUp("not a key") }
        return Scope(.key(key, in: .default))
    }

    static func scope(ofTag name: String) throws -> Scope {
        guard let tag = Tag(name) else { throw GaveUp("not a tag") }
        return Scope(.tag(tag, in: .default))
    }

    static func receipt(_ message: MessageView) throws -> Receipt {
        guard message.type == .receipt else { throw refusal(message) }
        return try Receipt(decoding: message)
    }

    // MARK: Reads

    static func get(_ key: [UInt8], atLeast: LogPosition? = nil, id: UInt64 = 0) -> [UInt8] {
        message { writer in
            var message = MessageWriter(.get, requestID: id, into: &writer)
            if let atLeast { message.field(MessageFields.ID.atLeast, atLeast, into: &writer) }
            message.field(MessageFields.ID.deadline, deadlineMilliseconds, into: &writer)
            key.withUnsafeBytes { GetOperation.append(key: $0, options: [], to: &writer) }
            message.finish(&writer, count: 1)
        }
    }

    /// The status of the first result, and the proof before it.
    static func result(_ message: MessageView) throws -> (ResultStatus?, Proof) {
        guard message.type == .results else { throw refusal(message) }
        var reader = ByteReader(message.body)
        let proof = try Proof(decoding: &reader)
        return (try OperationResult(decoding: &reader).status, proof)
    }

    // MARK: Stores and status

    /// Stores `keys` with values of 32 bytes if nothing else is said, and tags.
    static func stores(
        of keys: Range<Int>, value: [UInt8] = [UInt8](repeating: 7, count: 32), tags: [Tag] = []
    ) -> [UInt8] {
        let description = SetOperation.Description(tags: tags)
        return message { writer in
            let message = MessageWriter(.set, requestID: 0, into: &writer)
            for number in keys {
                key(number).withUnsafeBytes { key in
                    value.withUnsafeBytes {
                        SetOperation.append(key: key, value: $0, description, to: &writer)
                    }
                }
            }
            message.finish(&writer, count: keys.count)
        }
    }

    static func status() -> [UInt8] {
        message { MessageWriter(.status, requestID: 0, into: &$0).finish(&$0, count: 0) }
    }

    static func report(_ message: MessageView) throws -> StatusReport {
        guard message.type == .statusReport else { throw refusal(message) }
        return try StatusReport(decoding: message)
    }

    private static func refusal(_ message: MessageView) -> GaveUp {
        do {
            if message.type == .error {
                return GaveUp("refused: \(try ErrorReply(decoding: message).message)")
            }
            return GaveUp("an answer of type \(message.type)")
        } catch {
            return GaveUp("an answer that cannot be read: \(error)")
        }
    }
}
