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

    package var version: Version = .none
    package var etag: Validator?
    package var tags: [Tag] = []
    package var token: FillToken?
    package var fillPosition: LogPosition?
    package var whole: Whole?
    package var retryAfterMilliseconds: UInt32?
    package var message: String?

    package init() {}

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let id = try reader.next(UInt8.self)
            let length = Int(try reader.next(UInt8.self))
            try decode(id, reader.take(length))
        }
    }

    private mutating func decode(
        _ id: UInt8, _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) {
        var value = ByteReader(bytes)
        switch id {
        case OperationResult.FieldID.version: version = Version(try value.next(UInt64.self))
        case OperationResult.FieldID.etag: etag = Validator(bytes: [UInt8](bytes))
        case OperationResult.FieldID.tag:
            if let tag = Tag(bytes: [UInt8](bytes)) { tags.append(tag) }
        case OperationResult.FieldID.token: token = try FillToken(decoding: &value)
        case OperationResult.FieldID.fillPosition:
            let epoch = try value.next(UInt32.self)
            fillPosition = try LogPosition.checked(epoch: epoch, sequence: value.next(UInt64.self))
        case OperationResult.FieldID.whole:
            let identity = try value.next(UInt64.self)
            whole = Whole(identity: identity, totalBytes: Int(try value.next(UInt32.self)))
        case OperationResult.FieldID.retryAfter:
            retryAfterMilliseconds = try value.next(UInt32.self)
        case OperationResult.FieldID.message: message = String(decoding: bytes, as: UTF8.self)
        case let other where other >= MessageFields.ID.critical:
            throw WireRefusal(
                .unknownCriticalField, "a critical field of a result is not known")
        default: break
        }
    }
}
