public import ByteCoding

/// Why a whole message is refused. The numbers are on the wire.
public enum ErrorCode: UInt16, CaseIterable, Sendable {
    case malformed = 1
    case unsupportedVersion = 2
    case unknownType = 3
    case unknownCriticalField = 4
    case outOfRange = 5
    case wrongStream = 6
    case unsupported = 7
    case unauthorised = 8
    case busy = 9
    case notRegistered = 10
    case unavailable = 11
}

/// What a decoder throws: a code for the machine and a sentence for people. The sentence is a
/// constant, so that refusing garbage never allocates.
public struct WireRefusal: Error, Equatable {
    @usableFromInline package let code: ErrorCode
    @usableFromInline package let text: StaticString

    @inlinable
    package init(_ code: ErrorCode, _ text: StaticString) {
        self.code = code
        self.text = text
    }

    package var sentence: String { text.description }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.code == rhs.code && lhs.sentence == rhs.sentence
    }

    @inlinable
    package static var truncated: WireRefusal {
        WireRefusal(.malformed, "the message ends before what it announces")
    }
    @inlinable
    package static var reserved: WireRefusal {
        WireRefusal(.malformed, "reserved bytes or bits are not zero")
    }
}

extension ByteReader {
    /// The next integer; a message that ends too early is malformed.
    @inlinable
    package mutating func next<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) throws(WireRefusal) -> Value {
        do {
            return try integer(type)
        } catch {
            throw .truncated
        }
    }

    /// The next `count` bytes; a message that ends too early is malformed.
    @inlinable
    package mutating func take(_ count: Int) throws(WireRefusal) -> UnsafeRawBufferPointer {
        do {
            return try bytes(count)
        } catch {
            throw .truncated
        }
    }

    /// Passes over `count` reserved bytes, which must be zero.
    @inlinable
    package mutating func reserved(_ count: Int) throws(WireRefusal) {
        for byte in try take(count) where byte != 0 { throw .reserved }
    }

    /// The end of the body: nothing may follow.
    @inlinable
    package func expectEnd() throws(WireRefusal) {
        guard isAtEnd else {
            throw WireRefusal(.malformed, "bytes follow where the message should end")
        }
    }
}
