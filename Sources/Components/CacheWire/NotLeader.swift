package import ByteCoding

/// NOT LEADER: the answer of a publisher that does not lead to anything but STATUS.
///
///     body: reserved 4, control endpoint of the leader (1 + text; empty: none is known),
///           name of the leader (1 + text)
///
/// Nothing of the request was done. The leader may not be ready yet: then it answers the same.
public struct NotLeader: Hashable, Sendable {
    /// Of the leader; empty while none is known.
    package var controlEndpoint: String
    /// The name of the leader in the configuration; empty while none is known.
    package var name: String

    package init(controlEndpoint: String = "", name: String = "") {
        self.controlEndpoint = controlEndpoint
        self.name = name
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.notLeader, requestID: requestID, into: &writer)
        writer.append(UInt32(0))
        writer.append(shortText: controlEndpoint)
        writer.append(shortText: name)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        try reader.reserved(4)
        controlEndpoint = try reader.shortText()
        name = try reader.shortText()
        try reader.expectEnd()
    }
}
