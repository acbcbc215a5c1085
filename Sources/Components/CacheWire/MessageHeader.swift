/// The first 24 bytes of every message.
///
/// This module encodes and decodes messages, and nothing else: no socket, no state, no decision.
/// The cores call it on their own thread. Messages of the data path are *views* into their frame
/// and are written directly into a ``ByteCoding/ByteWriter``, without an allocation; messages of
/// the other channels are plain values.
///
///     frame ──▶ MessageView.decode ──▶ header, fields, body ──▶ GetOperation, SetOperation …
///     ByteWriter ◀── MessageWriter.begin … finish ◀── results, records, reports
///
///     offset  size  field
///          0     2  magic        4D 4C, "ML"
///          2     1  version      1
///          3     1  type         MessageType
///          4     2  flags        reserved: zero
///          6     2  count        operations, results, records … in the body
///          8     8  requestID    chosen by the asker, echoed in the answer
///         16     2  stream       0
///         18     2  fieldsBytes  length of the following fields
///         20     4  bodyBytes    length of the body after the fields
///
/// Integers are little-endian. docs/protocol.md has the details; encoder, decoder, that page and
/// the golden frames change together.
public struct MessageHeader: Equatable, Sendable {
    @usableFromInline package static let encodedBytes = 24
    @usableFromInline package static let magic: UInt16 = 0x4C4D
    @usableFromInline package static let version: UInt8 = 1

    @usableFromInline package var type: MessageType
    @usableFromInline package var count: Int
    @usableFromInline package var requestID: UInt64

    @inlinable
    package init(type: MessageType, count: Int, requestID: UInt64) {
        self.type = type
        self.count = count
        self.requestID = requestID
    }

    /// The four bytes that begin every message of `type`: its topic on the live channel.
    package static func topic(of type: MessageType) -> [UInt8] {
        [0x4D, 0x4C, version, type.rawValue]
    }

    /// The request id of a frame that may be damaged, so that a refusal can be matched to its
    /// request; 0 if it cannot be read.
    package static func requestID(ofDamaged frame: UnsafeRawBufferPointer) -> UInt64 {
        guard frame.count >= encodedBytes,
            UInt16(littleEndian: frame.loadUnaligned(as: UInt16.self)) == magic
        else { return 0 }
        return UInt64(littleEndian: frame.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// The type of a frame that may be damaged; `nil` if it cannot be read.
    package static func type(ofDamaged frame: UnsafeRawBufferPointer) -> MessageType? {
        guard frame.count >= encodedBytes,
            UInt16(littleEndian: frame.loadUnaligned(as: UInt16.self)) == magic
        else { return nil }
        return MessageType(rawValue: frame[3])
    }

    /// Turns a copy of an answer into the answer to another request.
    ///
    /// - Precondition: the frame is a complete message.
    package static func set(requestID: UInt64, in frame: inout [UInt8]) {
        precondition(frame.count >= encodedBytes, "a message begins with its header")
        frame.withUnsafeMutableBytes {
            $0.storeBytes(of: requestID.littleEndian, toByteOffset: 8, as: UInt64.self)
        }
    }
}
