package import CacheModel
import ByteCoding

/// Who is where, and which shard owns which key: what a ``TopologyReport`` means.
///
///     key ─▶ RouteHash ─▶ Topology ─▶ ShardAddress
///
/// Clients find the shard to ask by it, and nodes the one that loads for all of them.
///
/// ### The rule
/// Rendezvous hashing [1]: each shard draws a score for the key and the highest wins, so adding a
/// node moves only the keys that it wins. The slots' own hashes are computed once. A node's
/// state does not matter: an owner that is down is a miss or a failed store, never another
/// node's answer.
///
/// [1] docs/protocol.md, section 6; Thaler and Ravishankar, 1998.
package struct Topology: Hashable, Sendable {
    package struct Node: Hashable, Sendable {
        package let id: NodeID
        /// `nil`: the publisher has not heard of it.
        package let state: NodeState?
        package let weightThousandths: UInt32
        /// Its shards, in the list of all.
        package let slots: Range<Int>
    }

    package let version: UInt32
    /// Of which cluster; none where nobody told.
    package let cluster: ClusterID
    package let kind: TopologyReport.Kind
    /// Where the publisher takes questions; empty while unknown.
    package let controlEndpoint: String
    /// Where the publisher broadcasts; empty while unknown.
    package let liveEndpoint: String
    package let nodes: [Node]
    /// All shards of all nodes, in the topology's order.
    package private(set) var shards: [ShardAddress]
    let slotHashes: [UInt64]
    /// One for each slot; empty where all nodes weigh the same and the plain rule holds.
    let slotWeights: [Double]

    package init(_ report: TopologyReport) {
        var nodes: [Node] = []
        var shards: [ShardAddress] = []
        for (index, node) in report.nodes.enumerated() {
            let first = shards.count
            for (shard, endpoint) in node.endpoints.enumerated() {
                shards.append(
                    ShardAddress(
                        node: node.id, nodeIndex: NodeIndex(index), shard: UInt16(shard),
                        endpoint: endpoint))
            }
            nodes.append(
                Node(
                    id: node.id, state: node.state, weightThousandths: node.weightThousandths,
                    slots: first..<shards.count))
        }
        version = report.version
        cluster = report.cluster
        kind = report.kind
        controlEndpoint = report.controlEndpoint
        liveEndpoint = report.liveEndpoint
        self.nodes = nodes
        self.shards = shards
        slotHashes = shards.map { Self.slotHash(node: $0.node, shard: $0.shard) }
        let isWeighted = Set(nodes.map(\.weightThousandths)).count > 1
        slotWeights =
            isWeighted
            ? shards.map { Double(nodes[$0.nodeIndex.rawValue].weightThousandths) } : []
    }

    /// The hash of a shard's own name, which its keys are scored against.
    static func slotHash(node: NodeID, shard: UInt16) -> UInt64 {
        StableHash.slot(node.name, shard: shard)
    }

    /// The place of the node of that name; `nil` if the topology does not have it.
    ///
    /// - Complexity: O(nodes).
    package func index(of node: NodeID) -> NodeIndex? {
        nodes.firstIndex { $0.id == node }.map(NodeIndex.init)
    }

    /// This topology, with the endpoints of an older one where this one does not know them.
    ///
    /// A publisher that has started anew tells who is in the cluster before it has heard where
    /// they are. They go on serving where they were.
    package func remembering(_ older: Topology) -> Topology {
        var whole = self
        for (place, shard) in shards.enumerated() where shard.endpoint.isEmpty {
            let known = older.shards.first { $0.node == shard.node && $0.shard == shard.shard }
            guard let known else { continue }
            whole.shards[place] = ShardAddress(
                node: shard.node, nodeIndex: shard.nodeIndex, shard: shard.shard,
                endpoint: known.endpoint)
        }
        return whole
    }

    /// Whether it tells of every shard where it is.
    package var isWhole: Bool { shards.allSatisfy { !$0.endpoint.isEmpty } }

    /// Where that shard is.
    package subscript(slot: SlotIndex) -> ShardAddress { shards[slot.rawValue] }
}
