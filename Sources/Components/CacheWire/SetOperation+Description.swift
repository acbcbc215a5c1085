package import ByteCoding
package import CacheModel

extension SetOperation {
    /// The metadata of a store beside key and value, in the sender's form.
    package struct Description: Hashable, Sendable {
        /// Milliseconds; see ``SetOperation/ttlDefault`` and ``SetOperation/ttlNever``.
        package var timeToLive: UInt64
        package var version: Version
        package var etag: Validator?
        package var tags: [Tag]
        package var representation = Representation()
        package var token: FillToken?
        /// As received with the token, which is sent back unchanged.
        package var tokenValidMilliseconds: UInt32 = 0
        package var upload: Upload?
        package var options: Options = []

        package init(
            timeToLive: UInt64 = SetOperation.ttlDefault, version: Version = .none,
            tags: [Tag] = []
        ) {
            self.timeToLive = timeToLive
            self.version = version
            self.tags = tags
        }
    }

    /// Appends one store to the body of a SET.
    ///
    /// - Precondition: key and value are within their limits; the sender checks them first.
    package static func append(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer,
        _ description: borrowing Description, to writer: inout ByteWriter
    ) {
        let start = writer.count
        writer.append(UInt16(key.count))
        writer.append(description.options.rawValue)
        writer.append(zeros: 4)
        writer.append(description.timeToLive)
        writer.append(UInt32(value.count))
        writer.append(UInt32(0))
        writer.append(key)
        let fieldsStart = writer.count
        appendFields(description, to: &writer)
        writer.patch(UInt16(writer.count - fieldsStart), at: start + 4)
        writer.append(value)
    }

    private static func appendFields(
        _ description: borrowing Description, to writer: inout ByteWriter
    ) {
        if description.version != .none {
            writer.append(FieldID.version)
            writer.append(UInt8(8))
            writer.append(description.version.rawValue)
        }
        if let etag = description.etag {
            writer.append(FieldID.etag)
            writer.append(shortBytes: etag.bytes)
        }
        for tag in description.tags {
            writer.append(FieldID.tag)
            writer.append(shortBytes: tag.bytes)
        }
        if let token = description.token {
            writer.append(FieldID.token)
            writer.append(UInt8(FillToken.encodedBytes))
            token.encode(validMilliseconds: description.tokenValidMilliseconds, into: &writer)
        }
        if let upload = description.upload {
            writer.append(FieldID.upload)
            writer.append(UInt8(12))
            writer.append(upload.id)
            writer.append(UInt32(upload.totalBytes))
        }
        RepresentationFields.append(
            description.representation, by: RepresentationFields.inSet, to: &writer)
    }
}
