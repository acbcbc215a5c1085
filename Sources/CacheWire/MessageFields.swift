public import ByteCoding
public import CacheModel

/// The optional fields after a header, as a view into the frame.
///
///     id  name       bytes
///     81  namespace  1–64
///     82  atLeast    epoch 4, sequence 8
///     83  operation  16
///     04  deadline   4, milliseconds
///     05  topology   4
///     86  fresh      0
///     07  trace      1–64, passed over
///     08  retry after 4, milliseconds; in ERROR
///
/// An id of 80 or more is critical: unknown means refused.
public struct MessageFields {
    public enum ID {
        @usableFromInline package static let namespace: UInt8 = 0x81
        @usableFromInline package static let atLeast: UInt8 = 0x82
        @usableFromInline package static let operation: UInt8 = 0x83
        @usableFromInline package static let deadline: UInt8 = 0x04
        @usableFromInline package static let topology: UInt8 = 0x05
        @usableFromInline package static let fresh: UInt8 = 0x86
        package static let retryAfter: UInt8 = 0x08
        @usableFromInline package static let critical: UInt8 = 0x80
    }

    /// The namespace's name; `nil` for the default one.
    @usableFromInline package var namespace: UnsafeRawBufferPointer?
    @usableFromInline package var atLeast: LogPosition?
    @usableFromInline package var operation: OperationID = .none
    @usableFromInline package var deadlineMilliseconds: UInt32?
    @usableFromInline package var topologyVersion: UInt32?
    @usableFromInline package var isFresh = false

    @inlinable
    package init() {}

    @inlinable
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireRefusal) {
        self.init()
        guard bytes.count > 0 else { return }
        try decodeAll(ByteReader(bytes))
    }

    @usableFromInline
    package mutating func decodeAll(_ source: ByteReader) throws(WireRefusal) {
        var reader = source
        var seen: UInt8 = 0
        while !reader.isAtEnd {
            let id = try reader.next(UInt8.self)
            let length = Int(try reader.next(UInt8.self))
            let value = try reader.take(length)
            try decode(id: id, value, seen: &seen)
        }
    }

    private mutating func decode(
        id: UInt8, _ bytes: UnsafeRawBufferPointer, seen: inout UInt8
    ) throws(WireRefusal) {
        var value = ByteReader(bytes)
        switch id {
        case ID.namespace:
            try Self.mark(0, &seen)
            namespace = try Self.checkedNamespace(bytes)
        case ID.atLeast:
            try Self.mark(1, &seen)
            let epoch = try value.next(UInt32.self)
            atLeast = try LogPosition.checked(epoch: epoch, sequence: value.next(UInt64.self))
        case ID.operation:
            try Self.mark(2, &seen)
            operation = try OperationID(decoding: &value)
        case ID.deadline:
            try Self.mark(3, &seen)
            deadlineMilliseconds = try value.next(UInt32.self)
        case ID.topology:
            try Self.mark(4, &seen)
            topologyVersion = try value.next(UInt32.self)
        case ID.fresh:
            try Self.mark(5, &seen)
            isFresh = true
        case let other where other >= ID.critical:
            throw WireRefusal(
                .unknownCriticalField, "a critical field is not known in this version")
        default:
            return
        }
        guard id == ID.namespace || value.isAtEnd else {
            throw WireRefusal(.malformed, "a field is longer than its kind")
        }
    }

    /// Notes that a field was seen, and refuses its second appearance.
    private static func mark(_ bit: UInt8, _ seen: inout UInt8) throws(WireRefusal) {
        guard seen & (1 << bit) == 0 else {
            throw WireRefusal(.malformed, "a field that may stand once stands twice")
        }
        seen |= 1 << bit
    }

    private static func checkedNamespace(
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireRefusal) -> UnsafeRawBufferPointer {
        guard Namespace(String(decoding: bytes, as: UTF8.self)) != nil else {
            throw WireRefusal(
                .malformed, "a namespace has 1 to 64 of the characters a-z A-Z 0-9 . _ -")
        }
        return bytes
    }
}
