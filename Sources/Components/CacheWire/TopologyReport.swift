package import ByteCoding
package import CacheModel

/// TOPOLOGY REPORT: the nodes, their endpoints, and the rule that maps keys to nodes.
///
///     body: version 4, kind 1, options 1 (bit 0: several publishers, bit 1: slots), reserved 2,
///           control endpoint, live endpoint (each 1 + text),
///           nodes: id bytes 1, state 1, shards 2, weight 4 (thousandths), id,
///           then an endpoint for each shard (1 + text; empty while unknown),
///           with slots: their owners (``SlotTable/encoded``)
///
/// Its cluster is in a field.
public struct TopologyReport: Hashable, Sendable {
    /// Which node may hold a key. The numbers are on the wire.
    public enum Kind: UInt8, CaseIterable, Sendable, CustomStringConvertible {
        /// One owner for each key.
        case sharded = 1
        /// Every node may hold every key.
        case replicated = 2

        public var description: String { self == .sharded ? "sharded" : "replicated" }
    }

    public struct Node: Hashable, Sendable {
        package var id: NodeID
        /// `nil`: the publisher has not heard from it.
        package var state: NodeState?
        package var weightThousandths: UInt32
        /// One for each shard; empty text while unknown.
        package var endpoints: [String]

        package init(
            id: NodeID, state: NodeState?, weightThousandths: UInt32 = 1_000, endpoints: [String]
        ) {
            self.id = id
            self.state = state
            self.weightThousandths = weightThousandths
            self.endpoints = endpoints
        }
    }

    package var version: UInt32
    package var kind: Kind
    package var controlEndpoint: String
    package var liveEndpoint: String
    package var nodes: [Node]
    /// Whether another publisher may lead after this one.
    package var hasSeveralPublishers = false
    /// Its cluster; none while the publisher does not know it.
    package var cluster = ClusterID.none
    /// The owners of slots, where the log assigns them; `nil`: it does not, or they are not known
    /// yet.
    package var slots: SlotTable?

    private static let isOneOfSeveral: UInt8 = 1
    private static let hasSlots: UInt8 = 2

    package init(
        version: UInt32, kind: Kind, controlEndpoint: String, liveEndpoint: String, nodes: [Node]
    ) {
        self.version = version
        self.kind = kind
        self.controlEndpoint = controlEndpoint
        self.liveEndpoint = liveEndpoint
        self.nodes = nodes
    }

    private static let stateUnknown: UInt8 = 255

    /// - Parameter note: the field MEMBERS; `nil`: it is left out.
    package func encode(
        requestID: UInt64, note: MembersNote? = nil, into writer: inout ByteWriter
    ) {
        var message = MessageWriter(.topologyReport, requestID: requestID, into: &writer)
        message.field(cluster, into: &writer)
        if let note { message.field(note, into: &writer) }
        writer.append(version)
        writer.append(kind.rawValue)
        writer.append(
            (hasSeveralPublishers ? Self.isOneOfSeveral : 0) | (slots == nil ? 0 : Self.hasSlots))
        writer.append(zeros: 2)
        writer.append(shortText: controlEndpoint)
        writer.append(shortText: liveEndpoint)
        for node in nodes {
            let id = Array(node.id.name.utf8)
            writer.append(UInt8(id.count))
            writer.append(node.state?.rawValue ?? Self.stateUnknown)
            writer.append(UInt16(node.endpoints.count))
            writer.append(node.weightThousandths)
            writer.append(id)
            for endpoint in node.endpoints { writer.append(shortText: endpoint) }
        }
        if let slots { writer.append(slots.encoded) }
        message.finish(&writer, count: nodes.count)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        guard message.count <= WireLimits.nodesMax else {
            throw WireRefusal(.outOfRange, "a topology has at most 1000 nodes")
        }
        var reader = ByteReader(message.body)
        version = try reader.next(UInt32.self)
        kind = try reader.known(or: "the kind of the topology is not known")
        let options = try reader.next(UInt8.self)
        guard options <= Self.isOneOfSeveral | Self.hasSlots else {
            throw WireRefusal(.malformed, "an option of the topology is not known")
        }
        hasSeveralPublishers = options & Self.isOneOfSeveral != 0
        try reader.reserved(2)
        controlEndpoint = try reader.shortText()
        liveEndpoint = try reader.shortText()
        nodes = []
        for _ in 0..<message.count { nodes.append(try Self.node(&reader)) }
        if options & Self.hasSlots != 0 {
            slots = try SlotTable(decoding: reader.take(reader.remainingBytes))
        }
        try reader.expectEnd()
        cluster = message.fields.cluster
        guard Set(nodes.map(\.id)).count == nodes.count else {
            throw WireRefusal(.malformed, "a node is in the topology twice")
        }
    }

    private static func node(_ reader: inout ByteReader) throws(WireRefusal) -> Node {
        let idBytes = Int(try reader.next(UInt8.self))
        let state = try Self.nodeState(reader.next(UInt8.self))
        let shards = Int(try reader.next(UInt16.self))
        guard shards <= WireLimits.shardsPerNodeMax else {
            throw WireRefusal(.outOfRange, "a node has at most 64 shards")
        }
        let weight = try reader.next(UInt32.self)
        let id = try reader.nodeID(idBytes)
        var endpoints: [String] = []
        for _ in 0..<shards { endpoints.append(try reader.shortText()) }
        return Node(
            id: id, state: state, weightThousandths: weight, endpoints: endpoints)
    }

    private static func nodeState(_ rawValue: UInt8) throws(WireRefusal) -> NodeState? {
        guard rawValue != stateUnknown else { return nil }
        guard let state = NodeState(rawValue: rawValue) else {
            throw WireRefusal(.malformed, "the state of a node is not known")
        }
        return state
    }
}
