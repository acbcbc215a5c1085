package import ByteCoding

/// The answer to a message that is refused as a whole.
///
///     body: code 2, reserved 2, message bytes 4, message (UTF-8)
public struct ErrorReply: Hashable, Sendable {
    /// As sent: a later version may have codes that this one does not know.
    package var code: UInt16
    package var message: String
    /// When to retry; sent in the header's fields.
    package var retryAfterMilliseconds: UInt32?

    package init(_ code: ErrorCode, _ message: String) {
        self.code = code.rawValue
        self.message = message
    }

    /// The code, if this version knows it.
    package var knownCode: ErrorCode? { ErrorCode(rawValue: code) }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.error, requestID: requestID, into: &writer)
        if let retryAfterMilliseconds {
            message.field(
                MessageFields.ID.retryAfter, retryAfterMilliseconds, into: &writer)
        }
        let text = Array(self.message.utf8)
        writer.append(code)
        writer.append(UInt16(0))
        writer.append(UInt32(text.count))
        writer.append(text)
        message.finish(&writer, count: 0)
    }

    package init(decoding view: MessageView) throws(WireRefusal) {
        retryAfterMilliseconds = view.fields.retryAfterMilliseconds
        var reader = ByteReader(view.body)
        code = try reader.next(UInt16.self)
        try reader.reserved(2)
        let length = Int(try reader.next(UInt32.self))
        message = try reader.text(length)
        try reader.expectEnd()
    }
}
