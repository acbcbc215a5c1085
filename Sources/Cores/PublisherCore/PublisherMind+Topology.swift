import CacheAccess
import CacheInvalidation
package import CacheModel
import CacheWire

/// The topology of the cluster and its configuration.
extension PublisherMind {
    /// The configuration was loaded anew.
    package mutating func configurationChanged(to plan: PublisherPlan, now: Instant) {
        let isTopologyNew = plan.nodes != self.plan.nodes || plan.kind != self.plan.kind
        self.plan = plan
        membership.configured(plan)
        grants.register(plan.nodes.map(\.id))
        places = places.filter { id, known in plan.node(id)?.shards == known.endpoints.count }
        if isTopologyNew { topologyVersion &+= 1 }
        nextHeartbeat = now
    }

    /// A node reported the endpoints of its shards.
    mutating func learn(_ endpoints: [String], of node: NodeID) {
        let known = NodePlaces(endpoints: endpoints, key: sender?.key)
        let isElsewhere = shownEndpoints(of: node) != endpoints
        places[node] = known
        if isElsewhere { topologyVersion &+= 1 }
    }

    /// The endpoints that clients and peers are sent to; `nil`: none.
    private func shownEndpoints(of node: NodeID) -> [String]? {
        places[node].flatMap { $0.isWithdrawn ? nil : $0.endpoints }
    }

    /// Withdraws endpoints that were reported with a key that is no longer valid for the node:
    /// clients are no longer sent there.
    mutating func withdrawPlaces(against table: AccessTable) {
        let keys = Set(places.values.compactMap(\.key))
        let entries = table.entries(holding: keys)
        for (node, known) in places where !known.isWithdrawn {
            guard let key = known.key, entries[key]?.speaks(for: node) != true else { continue }
            places[node]?.isWithdrawn = true
            topologyVersion &+= 1
        }
    }

    /// Whether the node must send HELLO again, although its run is known.
    func isPlaceWithdrawn(of node: NodeID) -> Bool { places[node]?.isWithdrawn ?? false }

    mutating func answerTopology(
        _ message: MessageView, to requester: Requester, now: Instant
    ) throws(WireRefusal) {
        try message.expectEmpty()
        if let why = whyTopologyIsUntold { return output.refuse(requester, .busy, why) }
        tellTopology(to: requester, now: now)
    }

    /// Why the topology is not sent yet; `nil`: it is.
    private var whyTopologyIsUntold: String? {
        // A node would wait for the members of an epoch that may be lost again.
        if log.hasHistory, !log.isBegun { return whyNotStanding }
        return membership.mustHideFirst
            ? "the cluster is of another kind, and its log has yet to hide everything; try again"
            : nil
    }

    private mutating func tellTopology(
        to requester: Requester, now: Instant
    ) {
        let nodes = plan.nodes.map { node in
            TopologyReport.Node(
                id: node.id, state: state(of: node.id, now: now),
                weightThousandths: node.weightThousandths,
                endpoints: shownEndpoints(of: node.id)
                    ?? Array(repeating: "", count: node.shards))
        }
        var report = TopologyReport(
            version: topologyVersion, kind: plan.kind, controlEndpoint: plan.controlEndpoint,
            liveEndpoint: plan.liveEndpoint, nodes: nodes)
        report.cluster = identity.id
        let note = membersNote
        output.reply(to: requester) {
            report.encode(requestID: requester.requestID, note: note, into: &$0)
        }
    }

    mutating func answerConfiguration(
        _ message: MessageView, to requester: Requester
    ) throws(WireRefusal) {
        try message.expectEmpty()
        let report = plan.configuration
        output.reply(to: requester) { report.encode(requestID: requester.requestID, into: &$0) }
    }

    /// The last state that a node reported, unless its grant is over; `nil` if it was not heard
    /// from.
    func state(of node: NodeID, now: Instant) -> NodeState? {
        guard let entry = grants.newestEntry(of: node) else { return nil }
        return entry.state.hasLease && !grants.hasGrant(entry.run, at: now)
            ? .suspect : entry.state
    }
}
