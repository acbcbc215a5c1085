package import ByteCoding

/// STEP DOWN: an order to the leading publisher to give its leadership up to another one.
///
///     body: reserved 4
///
/// Answered with DONE once it is accepted, and with NOT LEADER by a publisher that does not lead.
public struct StepDown: Hashable, Sendable {
    package init() {}

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.stepDown, requestID: requestID, into: &writer)
        writer.append(UInt32(0))
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        try reader.reserved(4)
        try reader.expectEnd()
    }
}
