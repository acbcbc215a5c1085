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
