public import ByteCoding
package import CacheModel

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
