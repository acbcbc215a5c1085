public import ByteCoding
import CacheModel

extension SetOperation {
    @usableFromInline
    package mutating func decodeFields(
        _ source: ByteReader, tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) {
        var reader = source
        var seen = SeenFields()
        while !reader.isAtEnd {
            let id = try reader.next(UInt8.self)
            let length = Int(try reader.next(UInt8.self))
            let value = try reader.take(length)
            switch id {
            case FieldID.version, FieldID.etag, FieldID.token, FieldID.upload: try seen.note(id)
            default: break
            }
            try decodeField(id, value, tags: &tags)
        }
    }

    private mutating func decodeField(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer, tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) {
        switch id {
        case FieldID.version:
            var value = try ByteReader(field: bytes, bytes: 8)
            version = Version(try value.next(UInt64.self))
            if version == .none { problem = "a version is greater than 0" }
        case FieldID.etag:
            guard bytes.count >= 1 else {
                throw WireRefusal(.malformed, "an ETag has 1 to 255 bytes")
            }
            etag = bytes
        case FieldID.tag:
            try append(tag: bytes, to: &tags)
        case FieldID.token:
            var value = try ByteReader(field: bytes, bytes: FillToken.encodedBytes)
            token = try FillToken(decoding: &value)
        case FieldID.upload:
            var value = try ByteReader(field: bytes, bytes: 12)
            let uploadID = try value.next(UInt64.self)
            upload = Upload(id: uploadID, totalBytes: Int(try value.next(UInt32.self)))
        case let other where other >= MessageFields.ID.critical:
            throw WireRefusal(
                .unknownCriticalField, "a critical field of SET is not known in this version")
        default:
            break
        }
    }

    /// A doubled tag counts once; the 65th is a reason to refuse this store.
    private mutating func append(
        tag: UnsafeRawBufferPointer, to tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) {
        guard tag.count >= 1 else {
            throw WireRefusal(.malformed, "a tag has 1 to 255 bytes")
        }
        guard !tags.contains(where: { $0.elementsEqual(tag) }) else { return }
        guard tags.count < Tag.perEntryMax else {
            problem = "an entry has at most 64 tags"
            return
        }
        tags.append(tag)
    }
}
