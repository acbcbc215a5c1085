public import ByteCoding
package import CacheModel

/// The fixed part of one result inside RESULTS.
///
///     offset  size  field
///          0     1  status
///          1     1  flags
///          2     1  detail       tier, refusal cause, or reason for behind
///          3     1  reserved
///          4     4  valueBytes
///          8     8  age          milliseconds
///         16     8  ttl          milliseconds left; 2^64 − 1 never expires
///         24     2  fieldsBytes
///         26     6  reserved
///         32     …  fields, value
///
///     field  01 version 8 · 02 etag · 03 tag, repeats · 04 token 32 · 05 fill position 12
///            06 whole: identity 8, total bytes 4 · 07 retry after 4 · 08 message
///            09 terms 9, for a peer: stale while revalidate 4, stale if error 4, marks 1
///            0A content type · 8B content encoding · 0C content language, 1–255 each
public struct OperationResult {
    @usableFromInline package static let headBytes = 32

    public enum FieldID {
        @usableFromInline package static let version: UInt8 = 1
        @usableFromInline package static let etag: UInt8 = 2
        @usableFromInline package static let tag: UInt8 = 3
        @usableFromInline package static let token: UInt8 = 4
        @usableFromInline package static let fillPosition: UInt8 = 5
        @usableFromInline package static let whole: UInt8 = 6
        @usableFromInline package static let retryAfter: UInt8 = 7
        @usableFromInline package static let message: UInt8 = 8
        @usableFromInline package static let terms: UInt8 = 9
    }

    /// As sent: a later version may have statuses that this one does not know.
    @usableFromInline package var rawStatus: UInt8
    @usableFromInline package var flags: ResultFlags
    @usableFromInline package var detail: UInt8
    @usableFromInline package var ageMilliseconds: UInt64
    @usableFromInline package var ttlMilliseconds: UInt64
    /// Encoded fields; ``ResultFields`` decodes them.
    @usableFromInline package var fields: UnsafeRawBufferPointer
    @usableFromInline package var value: UnsafeRawBufferPointer

    /// The outcome of the operation; `nil` if this version does not know the number. Treat that as
    /// a miss of a lookup, and as an unknown outcome of any other operation.
    @inlinable package var status: ResultStatus? { ResultStatus(rawValue: rawStatus) }

    /// Decodes one result, as a view into its frame.
    @inlinable
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        rawStatus = try reader.next(UInt8.self)
        flags = ResultFlags(rawValue: try reader.next(UInt8.self))
        detail = try reader.next(UInt8.self)
        guard try reader.next(UInt8.self) == 0 else { throw .reserved }
        let valueBytes = Int(try reader.next(UInt32.self))
        ageMilliseconds = try reader.next(UInt64.self)
        ttlMilliseconds = try reader.next(UInt64.self)
        let fieldsBytes = Int(try reader.next(UInt16.self))
        try reader.reserved(6)
        fields = try reader.take(fieldsBytes)
        value = try reader.take(valueBytes)
    }

    /// Appends a result without fields and value.
    @inlinable
    package static func append(
        _ status: ResultStatus, flags: ResultFlags = [], detail: UInt8 = 0,
        to writer: inout ByteWriter
    ) {
        writer.reserve(headBytes)
        writer.append(
            UInt32(status.rawValue) | UInt32(flags.rawValue) << 8 | UInt32(detail) << 16)
        writer.append(UInt32(0))
        writer.append(UInt64(0))
        writer.append(UInt64(0))
        writer.append(UInt64(0))
    }

    /// Completes the head that was written at `start`: the bytes appended since are the fields, the
    /// value follows later.
    @inlinable
    package static func finishFields(from start: Int, in writer: inout ByteWriter) {
        writer.patch(UInt16(writer.count &- start &- headBytes), at: start &+ 24)
    }

    /// Sets age and time to live of the result with its head at `start`.
    @inlinable
    package static func setTimes(
        age: UInt64, ttl: UInt64, at start: Int, in writer: inout ByteWriter
    ) {
        writer.patch(age, at: start &+ 8)
        writer.patch(ttl, at: start &+ 16)
    }

    /// Appends the value of the result with its head at `start`, after its fields.
    @inlinable
    package static func appendValue(
        _ value: UnsafeRawBufferPointer, at start: Int, to writer: inout ByteWriter
    ) {
        writer.patch(UInt32(value.count), at: start &+ 4)
        writer.append(value)
    }
}

extension OperationResult {
    /// Appends a field to the result that is being written.
    @inlinable
    package static func appendField(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer, to writer: inout ByteWriter
    ) {
        writer.append(id)
        writer.append(UInt8(bytes.count))
        writer.append(bytes)
    }

    package static func appendField(version: Version, to writer: inout ByteWriter) {
        writer.append(FieldID.version)
        writer.append(UInt8(8))
        writer.append(version.rawValue)
    }

    package static func appendField(
        token: FillToken, validMilliseconds: UInt32, to writer: inout ByteWriter
    ) {
        writer.append(FieldID.token)
        writer.append(UInt8(FillToken.encodedBytes))
        token.encode(validMilliseconds: validMilliseconds, into: &writer)
    }

    package static func appendField(fillPosition: LogPosition, to writer: inout ByteWriter) {
        writer.append(FieldID.fillPosition)
        writer.append(UInt8(12))
        writer.append(fillPosition.epoch.rawValue)
        writer.append(fillPosition.sequence.rawValue)
    }

    package static func appendField(whole: ResultFields.Whole, to writer: inout ByteWriter) {
        writer.append(FieldID.whole)
        writer.append(UInt8(12))
        writer.append(whole.identity)
        writer.append(UInt32(whole.totalBytes))
    }

    package static func appendField(retryAfterMilliseconds: UInt32, to writer: inout ByteWriter) {
        writer.append(FieldID.retryAfter)
        writer.append(UInt8(4))
        writer.append(retryAfterMilliseconds)
    }

    package static func appendField(terms: ResultFields.Terms, to writer: inout ByteWriter) {
        writer.append(FieldID.terms)
        writer.append(UInt8(9))
        writer.append(terms.staleWhileRevalidate)
        writer.append(terms.staleIfError)
        writer.append(UInt8(terms.mustNotBeKept ? 1 : 0))
    }

    /// - Parameter message: UTF-8, at most ``WireLimits/messageBytesMax`` bytes.
    package static func appendField(message: [UInt8], to writer: inout ByteWriter) {
        message.withUnsafeBytes { appendField(FieldID.message, $0, to: &writer) }
    }

    package static func appendField(message: StaticString, to writer: inout ByteWriter) {
        let bytes = UnsafeRawBufferPointer(
            start: message.utf8Start, count: message.utf8CodeUnitCount)
        appendField(FieldID.message, bytes, to: &writer)
    }
}
