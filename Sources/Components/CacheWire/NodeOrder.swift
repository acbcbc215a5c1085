package import ByteCoding
package import CacheModel

/// DRAIN or FORGET: an order about one node.
///
///     body: id bytes 1, reserved 3, id
///
/// It contains the name, so that a node that receives another node's order refuses it.
public struct NodeOrder: Hashable, Sendable {
    package enum Kind: CaseIterable, Sendable {
        /// To a shard of the node: accept nothing new, finish, and end.
        case drain
        /// To the publisher: drop its state of the node's runs.
        case forget

        package var messageType: MessageType {
            switch self {
            case .drain: .drain
            case .forget: .forget
            }
        }
    }

    package var kind: Kind
    package var node: NodeID

    package init(_ kind: Kind, _ node: NodeID) {
        self.kind = kind
        self.node = node
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(kind.messageType, requestID: requestID, into: &writer)
        let id = Array(node.name.utf8)
        writer.append(UInt8(id.count))
        writer.append(UInt8(0))
        writer.append(UInt16(0))
        writer.append(id)
        message.finish(&writer, count: 0)
    }

    /// - Precondition: the message is a DRAIN or a FORGET.
    package init(decoding message: MessageView) throws(WireRefusal) {
        guard let kind = Kind.allCases.first(where: { $0.messageType == message.type }) else {
            preconditionFailure("only DRAIN and FORGET are orders about a node")
        }
        self.kind = kind
        var reader = ByteReader(message.body)
        let idBytes = Int(try reader.next(UInt8.self))
        try reader.reserved(3)
        node = try reader.nodeID(idBytes)
        try reader.expectEnd()
    }
}
