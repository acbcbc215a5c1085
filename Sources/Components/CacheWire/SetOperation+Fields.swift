public import ByteCoding
package import CacheModel

extension SetOperation {
    @usableFromInline
    package mutating func decodeFields(
        _ source: ByteReader, tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) {
        var reader = source
        var seen = SeenFields()
        var tagCount = 0
        while !reader.isAtEnd {
            let id = try reader.next(UInt8.self)
            let length = Int(try reader.next(UInt8.self))
            let value = try reader.take(length)
            switch id {
            case FieldID.version, FieldID.etag, FieldID.token, FieldID.upload: try seen.note(id)
            case RepresentationFields.inSet.type, RepresentationFields.inSet.encoding,
                RepresentationFields.inSet.language:
                try seen.note(id)
                try noteRepresentation(value, in: source)
                continue
            default: break
            }
            if id == FieldID.tag {
                tagCount += 1
                try append(tag: value, number: tagCount, to: &tags)
            } else {
                try decodeField(id, value)
            }
        }
    }

    /// The representation of the value.
    package var representation: Representation {
        described.isEmpty
            ? Representation()
            : RepresentationFields.read(described, by: RepresentationFields.inSet)
    }

    private mutating func noteRepresentation(
        _ bytes: UnsafeRawBufferPointer, in fields: ByteReader
    ) throws(WireRefusal) {
        guard bytes.count >= 1 else {
            throw WireRefusal(.malformed, RepresentationFields.problem)
        }
        guard RepresentationField.isLegal(bytes) else {
            problem = RepresentationFields.problem
            return
        }
        var all = fields
        described = try all.take(all.remainingBytes)
    }

    private mutating func decodeField(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) {
        switch id {
        case FieldID.version:
            version = Version(try ByteReader.number(inField: bytes))
            if version == .none { problem = "a version is greater than 0" }
        case FieldID.etag:
            guard bytes.count >= 1 else {
                throw WireRefusal(.malformed, "an ETag has 1 to 255 bytes")
            }
            etag = bytes
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

    /// A repeated tag is kept once. The 65th tag in the list, repeated or not, is a reason to
    /// refuse this store, and from there on none is compared: a frame has space for hundreds of
    /// thousands.
    ///
    /// - Parameter number: which of the store's tags it is, counted from 1.
    private mutating func append(
        tag: UnsafeRawBufferPointer, number: Int, to tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) {
        guard tag.count >= 1 else {
            throw WireRefusal(.malformed, "a tag has 1 to 255 bytes")
        }
        guard number <= Tag.perEntryMax else {
            problem = "an entry has at most 64 tags"
            return
        }
        guard !tags.contains(where: { Self.areSame($0, tag) }) else { return }
        tags.append(tag)
    }

    /// Whether two names are equal, compared by words: tags with a common beginning are compared
    /// with each other, and a frame may be full of them.
    private static func areSame(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        guard left.count == right.count else { return false }
        var offset = 0
        while offset + 8 <= left.count {
            guard
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset += 8
        }
        return left[offset...].elementsEqual(right[offset...])
    }
}
