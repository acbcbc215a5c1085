public import ByteCoding

/// One message in its frame: header and fields decoded, body still bytes.
///
/// Valid as long as the frame's bytes are.
public struct MessageView {
    @usableFromInline package let header: MessageHeader
    @usableFromInline package let fields: MessageFields
    @usableFromInline package let body: UnsafeRawBufferPointer

    @inlinable
    package var type: MessageType { header.type }
    @inlinable
    package var count: Int { header.count }
    @inlinable
    package var requestID: UInt64 { header.requestID }

    /// Decodes a frame's header and fields.
    ///
    /// The checks are made in this order: enough bytes, magic, version, type, flags, stream,
    /// lengths, fields, and a count where the type has none; the first failure decides the code.
    ///
    /// - Complexity: O(fields).
    @inlinable
    package init(decoding frame: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(frame)
        guard frame.count >= MessageHeader.encodedBytes else {
            throw WireRefusal(.malformed, "a message begins with a header of 24 bytes")
        }
        guard try reader.next(UInt16.self) == MessageHeader.magic else {
            throw WireRefusal(.malformed, "the message does not begin with the bytes 4D 4C")
        }
        guard try reader.next(UInt8.self) == MessageHeader.version else {
            throw WireRefusal(.unsupportedVersion, "only protocol version 1 is spoken here")
        }
        guard let type = MessageType(rawValue: try reader.next(UInt8.self)) else {
            throw WireRefusal(.unknownType, "the type of the message is not known")
        }
        guard try reader.next(UInt16.self) == 0 else { throw .reserved }
        let count = Int(try reader.next(UInt16.self))
        let requestID = try reader.next(UInt64.self)
        guard try reader.next(UInt16.self) == 0 else {
            throw WireRefusal(.wrongStream, "only stream 0 is served here")
        }
        let fieldsBytes = Int(try reader.next(UInt16.self))
        let bodyBytes = Int(try reader.next(UInt32.self))
        guard frame.count == MessageHeader.encodedBytes &+ fieldsBytes &+ bodyBytes else {
            throw WireRefusal(.malformed, "the message's lengths do not add up to its frame")
        }
        header = MessageHeader(type: type, count: count, requestID: requestID)
        fields = try MessageFields(decoding: reader.take(fieldsBytes))
        body = try reader.take(bodyBytes)
        guard count == 0 || !type.hasNoCount else {
            throw WireRefusal(.malformed, "this type of message carries no count")
        }
    }

    /// For requests with an empty body.
    package func expectEmpty() throws(WireRefusal) {
        guard body.isEmpty else {
            throw WireRefusal(.malformed, "this type of message has no body")
        }
    }

    /// The number of operations, checked against the bounds of a batch; a CHUNK is one.
    @inlinable
    package func operationCount() throws(WireRefusal) -> Int {
        guard count >= 1, count <= WireLimits.operationsPerMessageMax else {
            throw WireRefusal(.outOfRange, "a message carries 1 to 1024 operations")
        }
        guard count == 1 || type != .chunk else {
            throw WireRefusal(.outOfRange, "a message carries one chunk")
        }
        return count
    }
}
