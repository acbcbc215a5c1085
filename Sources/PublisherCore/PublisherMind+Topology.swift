package import CacheModel
import CacheInvalidation
import CacheWire

/// Who is where, and what the cluster is configured to be.
extension PublisherMind {
    /// The configuration was loaded anew.
    package mutating func configurationChanged(to plan: PublisherPlan, now: Instant) {
        let isTopologyNew = plan.nodes != self.plan.nodes || plan.kind != self.plan.kind
        self.plan = plan
        grants.register(plan.nodes.map(\.id))
        endpoints = endpoints.filter { id, known in plan.node(id)?.shards == known.count }
        if isTopologyNew { topologyVersion &+= 1 }
        nextHeartbeat = now
    }

    /// A node said where its shards are.
    mutating func learn(_ known: [String], of node: NodeID) {
        guard endpoints[node] != known else { return }
        endpoints[node] = known
        topologyVersion &+= 1
    }

    mutating func answerTopology(
        _ message: MessageView, to asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) throws(WireRefusal) {
        try message.expectEmpty()
        let nodes = plan.nodes.map { node in
            TopologyReport.Node(
                id: node.id, state: state(of: node.id, now: now),
                weightThousandths: node.weightThousandths,
                endpoints: endpoints[node.id] ?? Array(repeating: "", count: node.shards))
        }
        let report = TopologyReport(
            version: topologyVersion, kind: plan.kind, controlEndpoint: plan.controlEndpoint,
            liveEndpoint: plan.liveEndpoint, nodes: nodes)
        reply(to: asker, into: &actions) { report.encode(requestID: asker.requestID, into: &$0) }
    }

    mutating func answerConfiguration(
        _ message: MessageView, to asker: Asker, into actions: inout [PublisherAction]
    ) throws(WireRefusal) {
        try message.expectEmpty()
        let report = plan.configuration
        reply(to: asker, into: &actions) { report.encode(requestID: asker.requestID, into: &$0) }
    }

    /// What a node said about itself, unless its grant is over; `nil` if it was not heard of.
    func state(of node: NodeID, now: Instant) -> NodeState? {
        guard let entry = grants.newestEntry(of: node) else { return nil }
        return entry.state.hasLease && !grants.hasGrant(entry.run, at: now)
            ? .suspect : entry.state
    }
}
