import CacheModel
import MartletClient

/// Where the log assigns slots: how many each node has, and which nodes are to get some.
extension ClusterStatus {
    /// `nil`: the log assigns no slots, or the publisher does not answer.
    var slotsWaiting: UInt64? { publisherSnapshot?.figures["slots_waiting"] }

    func slotCount(of node: NodeID) -> UInt64? {
        publisherSnapshot?.figures["slots:\(node)"]
    }

    var moves: [String] {
        guard let count = slotsWaiting, count > 0 else { return [] }
        return [
            "\(count) of \(HashSlot.count) slots have changed owner: their keys are answered once "
                + "every node knows it or has no lease"
        ]
    }

    /// What a node still waits for; `nil`: nothing, or it is not LIVE.
    func pending(of node: NodeStatus) -> String? {
        if let filling = node.filling { return filling }
        let isWithoutSlots = slotsWaiting != nil && slotCount(of: node.node) ?? 0 == 0
        guard node.state == .live, isWithoutSlots, isToOwnSlots(node.node) else { return nil }
        return "owns no slots yet: it gets its share once it was LIVE for some time"
    }

    /// Whether the next node may be restarted, as far as this one is concerned.
    func isFilled(_ node: NodeStatus) -> Bool { node.isFilled && pending(of: node) == nil }

    /// Whether waiting longer changes nothing: each node is LIVE and filled, or will not be, and no
    /// slot is on the move, as far as this user may know.
    var isAtRest: Bool {
        guard publisherSnapshot != nil || publisherFailure?.isDenial == true else {
            return false
        }
        return slotsWaiting ?? 0 == 0 && nodes.allSatisfy { isFilled($0) || $0.unfilled != nil }
    }

    /// A node of very little weight may have no slot.
    private func isToOwnSlots(_ node: NodeID) -> Bool {
        let weights = topology.nodes.map(\.weight)
        let own = topology.nodes.first { $0.id == node }?.weight ?? 0
        return own * Double(HashSlot.count) >= weights.reduce(0, +)
    }
}
