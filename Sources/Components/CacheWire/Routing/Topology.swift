package import CacheModel
import ByteCoding

/// The nodes, their endpoints, and the owner of each key: a decoded ``TopologyReport``.
///
///     key ─▶ RouteHash ─▶ Topology ─▶ ShardAddress
///
/// Clients use it to find the shard to ask, and nodes to find the one that loads for all of them.
///
/// ### The rule
/// Rendezvous hashing [1]: each shard draws a score for the key and the highest wins, so adding a
/// node moves only the keys that it wins. The shards' own hashes are computed once. A node's state
/// does not matter: if the owner is down, a lookup misses and a store fails; another node never
/// answers in its place.
///
/// Where the log assigns slots, the owner of the key's slot holds it instead; the rule above then
/// finds the node that stands in for an owner which does not answer.
///
/// [1] docs/protocol.md, section 6; Thaler and Ravishankar, 1998.
package struct Topology: Hashable, Sendable {
    package struct Node: Hashable, Sendable {
        package let id: NodeID
        /// `nil`: the publisher has not heard from it.
        package let state: NodeState?
        package let weightThousandths: UInt32
        /// Its shards, in the list of all shards.
        package let shardNumbers: Range<Int>
    }

    package let version: UInt32
    /// Its cluster; none if not reported.
    package let cluster: ClusterID
    package let kind: TopologyReport.Kind
    /// The publisher's control endpoint; empty while unknown.
    package let controlEndpoint: String
    /// The publisher's live endpoint; empty while unknown.
    package let liveEndpoint: String
    /// Whether another publisher may lead after this one.
    package let hasSeveralPublishers: Bool
    package let nodes: [Node]
    /// All shards of all nodes, in the topology's order.
    package private(set) var shards: [ShardAddress]
    let shardHashes: [UInt64]
    /// One for each shard; empty if all nodes have the same weight and the unweighted rule applies.
    let shardWeights: [Double]
    /// By slot, its owner among all shards; `nil`: the log assigns no slots.
    package let slotOwners: SlotOwners?

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
                    shardNumbers: first..<shards.count))
        }
        version = report.version
        cluster = report.cluster
        kind = report.kind
        controlEndpoint = report.controlEndpoint
        liveEndpoint = report.liveEndpoint
        hasSeveralPublishers = report.hasSeveralPublishers
        self.nodes = nodes
        self.shards = shards
        slotOwners = report.slots.map { SlotOwners($0, nodes) }
        shardHashes = shards.map { Self.shardHash(node: $0.node, shard: $0.shard) }
        let isWeighted = Set(nodes.map(\.weightThousandths)).count > 1
        shardWeights =
            isWeighted
            ? shards.map { Double(nodes[$0.nodeIndex.rawValue].weightThousandths) } : []
    }

    /// The hash of a shard's own name, against which keys are scored.
    static func shardHash(node: NodeID, shard: UInt16) -> UInt64 {
        StableHash.shard(node.name, shard: shard)
    }

    /// The index of the node of that name; `nil` if the topology does not have it.
    ///
    /// - Complexity: O(nodes).
    package func index(of node: NodeID) -> NodeIndex? {
        nodes.firstIndex { $0.id == node }.map(NodeIndex.init)
    }

    /// This topology, with the endpoints of an older one where this one has none.
    ///
    /// A restarted publisher reports the nodes of the cluster before it has received their
    /// endpoints. They continue to serve at their old ones.
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

    /// Whether requests go to a shard: to one without slots they do not, once slots have owners.
    ///
    /// - Complexity: O(slots).
    package func isAsked(_ shard: ShardNumber) -> Bool {
        slotOwners.map { $0.isEmpty || $0.contains(shard) } ?? true
    }

    /// Whether the endpoint of every shard is known.
    package var isWhole: Bool { shards.allSatisfy { !$0.endpoint.isEmpty } }

    /// The address of that shard.
    package subscript(number: ShardNumber) -> ShardAddress { shards[number.rawValue] }
}
