import ByteCoding
package import CacheModel

/// The fields of one result, decoded.
public struct ResultFields: Hashable, Sendable {
    /// A value that is larger than one frame: its identity and its length.
    public struct Whole: Hashable, Sendable {
        package var identity: UInt64
        package var totalBytes: Int

        package init(identity: UInt64, totalBytes: Int) {
            self.identity = identity
            self.totalBytes = totalBytes
        }
    }

    /// The terms on which a peer may store the value it receives.
    public struct Terms: Hashable, Sendable {
        /// Milliseconds past its lifetime for which it may be served while it is refreshed.
        package var staleWhileRevalidate: UInt32
        /// Milliseconds past its lifetime for which it may be served when the origin fails.
        package var staleIfError: UInt32
        /// Only for the asker; it must not be stored.
        package var mustNotBeKept: Bool

        package init(staleWhileRevalidate: UInt32, staleIfError: UInt32, mustNotBeKept: Bool) {
            self.staleWhileRevalidate = staleWhileRevalidate
            self.staleIfError = staleIfError
            self.mustNotBeKept = mustNotBeKept
        }
    }

    package var version: Version = .none
    package var etag: Validator?
    package var tags: [Tag] = []
    package var token: FillToken?
    /// How long the token may be used, counted from sending the request; 0 without a token.
    package var tokenValidMilliseconds: UInt32 = 0
    package var fillPosition: LogPosition?
    package var whole: Whole?
    package var retryAfterMilliseconds: UInt32?
    package var message: String?
    package var terms: Terms?
    package var representation = Representation()

    package init() {}

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(bytes)
        var seen = SeenFields()
        while !reader.isAtEnd {
            let id = try reader.next(UInt8.self)
            let length = Int(try reader.next(UInt8.self))
            let value = try reader.take(length)
            switch id {
            case ...OperationResult.FieldID.terms:
                if id != OperationResult.FieldID.tag { try seen.note(id) }
                try decode(id, value)
            case RepresentationFields.inResult.type, RepresentationFields.inResult.encoding,
                RepresentationFields.inResult.language:
                try seen.note(id)
                try describe(id, value)
            case MessageFields.ID.critical...:
                throw WireRefusal(
                    .unknownCriticalField, "a critical field of a result is not known")
            default: continue
            }
        }
    }

    private mutating func describe(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) {
        guard RepresentationField.isLegal(bytes),
            let field = RepresentationField(String(decoding: bytes, as: UTF8.self))
        else { throw WireRefusal(.malformed, RepresentationFields.problem) }
        switch id {
        case RepresentationFields.inResult.type: representation.contentType = field
        case RepresentationFields.inResult.encoding: representation.contentEncoding = field
        default: representation.contentLanguage = field
        }
    }

    private mutating func decode(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) {
        switch id {
        case OperationResult.FieldID.etag:
            guard let etag = Validator(bytes: [UInt8](bytes)) else {
                throw WireRefusal(.malformed, "an ETag has 1 to 255 bytes")
            }
            self.etag = etag
        case OperationResult.FieldID.tag:
            guard let tag = Tag(bytes: [UInt8](bytes)) else {
                throw WireRefusal(.malformed, "a tag has 1 to 255 bytes")
            }
            tags.append(tag)
        case OperationResult.FieldID.message:
            var text = ByteReader(bytes)
            message = try text.text(bytes.count)
        default:
            try decodeFixed(id, bytes)
        }
    }

    /// The fields of fixed length.
    private mutating func decodeFixed(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) {
        switch id {
        case OperationResult.FieldID.version:
            version = Version(try ByteReader.number(inField: bytes))
        case OperationResult.FieldID.token:
            var value = try ByteReader(field: bytes, bytes: FillToken.encodedBytes)
            tokenValidMilliseconds = try FillToken.validMilliseconds(in: value)
            token = try FillToken(decoding: &value)
        case OperationResult.FieldID.fillPosition:
            var value = try ByteReader(field: bytes, bytes: 12)
            fillPosition = try value.position()
        case OperationResult.FieldID.whole:
            var value = try ByteReader(field: bytes, bytes: 12)
            let identity = try value.next(UInt64.self)
            whole = Whole(identity: identity, totalBytes: Int(try value.next(UInt32.self)))
        case OperationResult.FieldID.retryAfter:
            retryAfterMilliseconds = try ByteReader.number(inField: bytes)
        case OperationResult.FieldID.terms:
            var value = try ByteReader(field: bytes, bytes: 9)
            let revalidate = try value.next(UInt32.self)
            let error = try value.next(UInt32.self)
            // Unknown bits are ignored.
            let marks = try value.next(UInt8.self)
            terms = Terms(
                staleWhileRevalidate: revalidate, staleIfError: error,
                mustNotBeKept: marks & 1 != 0)
        default: return
        }
    }
}
