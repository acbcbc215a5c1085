package import ByteCoding

extension WireRefusal {
    /// Writes the refusal as the answer to `requestID`.
    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        ErrorReply(code, sentence).encode(requestID: requestID, into: &writer)
    }
}
