package import ByteCoding

/// The error of a decoder: a code for the machine and a sentence for people. The sentence is a
/// constant, so that refusing garbage never allocates.
public struct WireRefusal: Error, Equatable {
    @usableFromInline package let code: ErrorCode
    @usableFromInline package let text: StaticString
    /// When to retry, for `busy`.
    @usableFromInline package let retryAfterMilliseconds: UInt32?

    @inlinable
    package init(
        _ code: ErrorCode, _ text: StaticString, retryAfterMilliseconds: UInt32? = nil
    ) {
        self.code = code
        self.text = text
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    package var sentence: String { text.description }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.code == rhs.code && lhs.sentence == rhs.sentence
            && lhs.retryAfterMilliseconds == rhs.retryAfterMilliseconds
    }

    @inlinable
    package static var truncated: WireRefusal {
        WireRefusal(.malformed, "the message ends before what it announces")
    }
    /// For a request that names another cluster. It has no effect.
    package static var wrongCluster: WireRefusal {
        WireRefusal(
            .wrongCluster,
            "this process belongs to another cluster than the one that you ask; nothing was done")
    }
    @inlinable
    package static var reserved: WireRefusal {
        WireRefusal(.malformed, "reserved bytes or bits are not zero")
    }
}

extension WireRefusal {
    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var reply = ErrorReply(code, sentence)
        reply.retryAfterMilliseconds = retryAfterMilliseconds
        reply.encode(requestID: requestID, into: &writer)
    }
}
