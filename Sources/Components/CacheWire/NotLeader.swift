package import ByteCoding

/// NOT LEADER: the answer of a publisher that does not lead to anything but STATUS.
///
///     body: options 1 (bit 0: the request may have been done), reserved 3,
///           control endpoint of the leader (1 + text; empty: none is known),
///           name of the leader (1 + text)
///
/// The leader may not be ready yet: then it answers the same. A request with an operation id is
/// repeated there, whatever the options say.
public struct NotLeader: Hashable, Sendable {
    /// Of the leader; empty while none is known.
    package var controlEndpoint: String
    /// The name of the leader in the configuration; empty while none is known.
    package var name: String
    /// Whether the request may have been done: this publisher led when it came.
    package var mayHaveHappened = false

    package init(controlEndpoint: String = "", name: String = "") {
        self.controlEndpoint = controlEndpoint
        self.name = name
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.notLeader, requestID: requestID, into: &writer)
        writer.append(UInt8(mayHaveHappened ? 1 : 0))
        writer.append(zeros: 3)
        writer.append(shortText: controlEndpoint)
        writer.append(shortText: name)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        let options = try reader.next(UInt8.self)
        guard options <= 1 else {
            throw WireRefusal(.malformed, "an option of NOT LEADER is not known")
        }
        mayHaveHappened = options == 1
        try reader.reserved(3)
        controlEndpoint = try reader.shortText()
        name = try reader.shortText()
        try reader.expectEnd()
    }
}
