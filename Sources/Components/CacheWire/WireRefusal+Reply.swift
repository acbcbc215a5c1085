package import ByteCoding

extension WireRefusal {
    /// Encodes the refusal as the answer to `requestID`.
    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var reply = ErrorReply(code, sentence)
        reply.retryAfterMilliseconds = retryAfterMilliseconds
        reply.encode(requestID: requestID, into: &writer)
    }
}
