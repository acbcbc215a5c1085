import CacheModel
import CacheWire

/// The states of the nodes at one moment, as the publisher reported them. Two of them tell which
/// nodes may have keys that a scan in between has not listed.
struct NodeStates {
    struct Node: Hashable, Sendable {
        /// `nil`: the publisher has not heard from it.
        var state: NodeState?
        /// One for each shard; empty text while unknown.
        var endpoints: [String] = []
        /// The run of its process; none if it is not known.
        var incarnation = Incarnation.none
    }

    var nodes: [NodeID: Node] = [:]

    init(_ nodes: [NodeID: Node]) { self.nodes = nodes }

    /// - Parameter lines: the incarnations; empty if the client may not ask for them.
    init(_ report: TopologyReport, _ lines: [StatusSnapshot.NodeLine]) {
        for node in report.nodes {
            nodes[node.id] = Node(state: node.state, endpoints: node.endpoints)
        }
        for line in lines { nodes[line.node]?.incarnation = line.incarnation }
    }

    /// Why the node may hide keys that it shows later; `nil` if it has a lease.
    func problem(of id: NodeID) -> String? {
        guard let state = nodes[id]?.state else { return "its state is not known" }
        return state.hasLease
            ? nil : "its state is \(state), and it may hide keys that it shows again later"
    }

    /// Why the node may have keys that were not listed since `first`; `nil` if no reason is known.
    func problem(of id: NodeID, since first: NodeStates) -> String? {
        if let problem = first.problem(of: id) ?? problem(of: id) { return problem }
        guard let before = first.nodes[id], let now = nodes[id], now.isOtherRun(than: before) else {
            return nil
        }
        return "it was restarted meanwhile"
    }
}

extension NodeStates.Node {
    /// Whether the process is certainly another one. Without incarnations only other endpoints
    /// prove it.
    fileprivate func isOtherRun(than before: Self) -> Bool {
        if incarnation != .none, before.incarnation != .none {
            return incarnation != before.incarnation
        }
        return zip(endpoints, before.endpoints).contains { now, then in
            !now.isEmpty && !then.isEmpty && now != then
        }
    }
}
