package import ByteCoding
package import CacheModel

/// STATUS REPORT: the role that answers, its position, and its metrics by name.
///
///     body: role 1, state 1, name bytes 1, reserved 1, epoch 4, sequence 8, digest 8, name,
///           figures: name bytes 1, value 8, name
///           nodes 2, then each: state 1, id bytes 1, reserved 2, epoch 4, sequence 8,
///           incarnation 8, grant left 4, reserved 4, id
public struct StatusReport: Hashable, Sendable {
    /// The role that answers. The numbers are on the wire.
    public enum Role: UInt8, Sendable {
        case publisher = 1
        case shard = 2
    }

    /// One metric of an open list: readers skip unknown names.
    public struct Figure: Hashable, Sendable {
        package var name: String
        package var value: UInt64

        package init(_ name: String, _ value: UInt64) {
            self.name = name
            self.value = value
        }
    }

    /// The publisher's state of one node.
    public struct NodeLine: Hashable, Sendable {
        package var node: NodeID
        package var state: NodeState
        package var applied: LogPosition
        package var incarnation: Incarnation
        package var grantLeftMilliseconds: UInt32

        package init(
            node: NodeID, state: NodeState, applied: LogPosition, incarnation: Incarnation,
            grantLeftMilliseconds: UInt32
        ) {
            self.node = node
            self.state = state
            self.applied = applied
            self.incarnation = incarnation
            self.grantLeftMilliseconds = grantLeftMilliseconds
        }
    }

    package var role: Role
    package var state: NodeState
    package var name: String
    package var mark: LogMark
    package var figures: [Figure] = []
    package var nodes: [NodeLine] = []

    package init(role: Role, state: NodeState, name: String, mark: LogMark) {
        self.role = role
        self.state = state
        self.name = name
        self.mark = mark
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.statusReport, requestID: requestID, into: &writer)
        let nameBytes = Array(name.utf8.prefix(Int(UInt8.max)))
        writer.append(role.rawValue)
        writer.append(state.rawValue)
        writer.append(UInt8(nameBytes.count))
        writer.append(UInt8(0))
        writer.append(mark.position)
        writer.append(mark.digest.rawValue)
        writer.append(nameBytes)
        for figure in figures {
            let figureName = Array(figure.name.utf8.prefix(Int(UInt8.max)))
            writer.append(UInt8(figureName.count))
            writer.append(figure.value)
            writer.append(figureName)
        }
        writer.append(UInt16(nodes.count))
        for node in nodes { node.encode(into: &writer) }
        message.finish(&writer, count: figures.count)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        role = try reader.known(or: "the role or state of a report is not known")
        state = try reader.known(or: "the role or state of a report is not known")
        let nameBytes = Int(try reader.next(UInt8.self))
        try reader.reserved(1)
        let position = try reader.position()
        mark = LogMark(position: position, digest: LogDigest(try reader.next(UInt64.self)))
        name = try reader.text(nameBytes)
        for _ in 0..<message.count {
            let length = Int(try reader.next(UInt8.self))
            let value = try reader.next(UInt64.self)
            figures.append(Figure(try reader.text(length), value))
        }
        for _ in 0..<(try reader.next(UInt16.self)) {
            nodes.append(try NodeLine(decoding: &reader))
        }
        try reader.expectEnd()
    }

    /// The metric of that name; 0 if the answering side does not know it.
    package func figure(_ name: String) -> UInt64 {
        figures.first { $0.name == name }?.value ?? 0
    }
}

extension StatusReport.NodeLine {
    fileprivate func encode(into writer: inout ByteWriter) {
        let id = Array(node.name.utf8)
        writer.append(state.rawValue)
        writer.append(UInt8(id.count))
        writer.append(UInt16(0))
        writer.append(applied)
        writer.append(incarnation.rawValue)
        writer.append(grantLeftMilliseconds)
        writer.append(UInt32(0))
        writer.append(id)
    }

    fileprivate init(decoding reader: inout ByteReader) throws(WireRefusal) {
        state = try reader.known(or: "the state of a node is not known")
        let idBytes = Int(try reader.next(UInt8.self))
        try reader.reserved(2)
        applied = try reader.position()
        incarnation = Incarnation(try reader.next(UInt64.self))
        grantLeftMilliseconds = try reader.next(UInt32.self)
        try reader.reserved(4)
        node = try reader.nodeID(idBytes)
    }
}
