import CacheModel
import CacheWire

/// Nodes that no configuration lists: `membership: open`. docs/decisions/0121.
///
///     HELLO with a weight ──▶ joined ──▶ row of the table of slots ──▶ joined, after a start
///                               │
///                               └── no run, no lease, no slot ──▶ gone
extension PublisherPlan {
    /// What a HELLO has to do with the members.
    enum Joining {
        /// The node is a member as it is.
        case unchanged
        /// The node is a member from now on, or has other shards or another weight.
        case joins(Node)
        case refused(ErrorCode, String)
    }

    /// - Parameter hasSlots: whether slots are in force.
    /// - Complexity: O(nodes).
    func joining(_ hello: Hello, hasSlots: Bool) -> Joining {
        let known = node(hello.node)
        guard isOpen, hello.joinWeight.isJoining,
            known == nil || joined.contains(hello.node)
        else { return asMember(hello, known) }
        let node = Node(
            id: hello.node, shards: hello.endpoints.count,
            weightThousandths: hello.joinWeight.thousandths(areWeightsStated: areWeightsStated))
        guard node != known else { return .unchanged }
        guard node.id != .unnamed, PublisherLimits.joinWeight.contains(node.weightThousandths)
        else {
            return .refused(.outOfRange, Self.strange(node))
        }
        // The node asks again.
        guard hasSlots else { return .refused(.busy, Self.waitsForSlots) }
        return hasRoom(for: node) ? .joins(node) : .refused(.busy, Self.full(node))
    }

    private func asMember(_ hello: Hello, _ known: Node?) -> Joining {
        guard let known else {
            return .refused(.notRegistered, NodeRefusal.unlisted(hello.node))
        }
        guard hello.endpoints.count == known.shards else {
            return .refused(.outOfRange, NodeRefusal.shards(of: hello, known))
        }
        return .unchanged
    }

    private func hasRoom(for node: Node) -> Bool {
        let others = nodes.lazy.filter { $0.id != node.id }
        return others.count < SlotTable.membersMax
            && others.reduce(node.shards) { $0 + $1.shards } <= SlotTable.shardsMax
    }

    /// The node is a member, in place of what it was as one.
    mutating func take(_ joining: Joining, _ hello: Hello) {
        if case .joins(let node) = joining {
            joined.insert(node.id)
            nodes.removeAll { $0.id == node.id }
            nodes.append(node)
            sortJoined()
        }
        if hello.joinWeight.isJoining { joinWeights[hello.node] = hello.joinWeight }
    }

    /// Members of an earlier plan, or of the log, that the configuration does not list, stay, as
    /// far as there is room beside those that it lists.
    mutating func keep(_ others: [Node]) {
        guard isOpen else { return }
        let listed = Set(nodes.lazy.map(\.id))
        for node in others where !listed.contains(node.id) && hasRoom(for: node) {
            joined.insert(node.id)
            nodes.append(node)
        }
        sortJoined()
    }

    /// The same plan, with the nodes of an earlier one as far as ``keep(_:)`` keeps them. Their
    /// weights are by this configuration: as they said them, or 1 if it is the first with weights.
    func keeping(_ earlier: PublisherPlan) -> PublisherPlan {
        var plan = self
        let isFirstWithWeights = areWeightsStated && !earlier.areWeightsStated
        plan.keep(
            earlier.nodes.map { node in
                var node = node
                let said = earlier.joinWeights[node.id].map {
                    $0.thousandths(areWeightsStated: areWeightsStated)
                }
                if let said, PublisherLimits.joinWeight.contains(said) {
                    node.slotWeightThousandths = said
                } else if isFirstWithWeights {
                    node.slotWeightThousandths = 1_000
                }
                return node
            })
        let members = Set(plan.nodes.lazy.map(\.id))
        plan.joinWeights = earlier.joinWeights.filter { members.contains($0.key) }
        return plan
    }

    /// These joined nodes are no members any more.
    mutating func drop(_ gone: Set<NodeID>) {
        nodes.removeAll { joined.contains($0.id) && gone.contains($0.id) }
        joined.subtract(gone)
        for node in gone { joinWeights[node] = nil }
    }

    /// The same order, whichever joined first.
    private mutating func sortJoined() {
        let (others, later) = (
            nodes.filter { !joined.contains($0.id) }, nodes.filter { joined.contains($0.id) }
        )
        nodes = others + later.sorted { $0.id < $1.id }
    }

    private static let waitsForSlots =
        "nodes can join once the publisher has assigned the slots; this one asks again"

    private static func strange(_ node: Node) -> String {
        node.id == .unnamed
            ? "a node that joins cannot be called \(node.id): the publisher uses that name"
            : "a weight is above 0, and at most \(PublisherLimits.joinWeight.upperBound / 1_000)"
    }

    private static func full(_ node: Node) -> String {
        "the cluster has as many nodes or shards as it can have: \(SlotTable.membersMax) nodes, "
            + "\(SlotTable.shardsMax) shards; node \(node.id) has \(node.shards)"
    }
}

extension SlotTable {
    /// Its members, as nodes of a plan, sorted.
    var nodes: [PublisherPlan.Node] {
        members.values.sorted { $0.node < $1.node }.map {
            PublisherPlan.Node(
                id: $0.node, shards: Int($0.shardCount), weightThousandths: $0.weightThousandths)
        }
    }

    /// The members that own slots.
    ///
    /// - Complexity: O(slots).
    var holders: Set<NodeID> {
        let numbers = Set(owners.lazy.compactMap { $0?.member })
        return Set(numbers.compactMap { members[$0]?.node })
    }
}
