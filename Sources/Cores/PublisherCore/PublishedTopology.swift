import ByteCoding
import CacheAccess
import CacheModel
import CacheWire

/// The topology that clients and nodes read: the endpoints that nodes reported for their shards,
/// and the version.
struct PublishedTopology {
    private struct Report {
        /// One for each shard.
        var endpoints: [String]
        /// The key of the report; `nil` if access control is off.
        var key: PublicKey?
        /// Whether that key is no longer valid for the node. Clients are not sent to these
        /// endpoints then: the holder of a stolen key must not continue to answer under the node's
        /// name.
        var isWithdrawn = false
    }

    private(set) var version: UInt32
    private var reports: [NodeID: Report] = [:]

    /// - Parameter version: drawn at random: it differs from the versions of earlier publishers, so
    ///   that every client asks again.
    init(version: UInt32) { self.version = version }

    /// The topology, or something that is reported with it, has changed: clients ask again.
    mutating func advance() { version &+= 1 }

    /// The configuration was loaded anew: forgets nodes that left or have another number of shards.
    mutating func configure(_ plan: PublisherPlan) {
        let shards = Dictionary(plan.nodes.map { ($0.id, $0.shards) }) { first, _ in first }
        reports = reports.filter { id, known in shards[id] == known.endpoints.count }
    }

    /// A node reported the endpoints of its shards.
    ///
    /// - Parameter key: the key of the report; `nil` if access control is off.
    mutating func update(_ endpoints: [String], of node: NodeID, key: PublicKey?) {
        let isElsewhere = shownEndpoints(of: node) != endpoints
        reports[node] = Report(endpoints: endpoints, key: key)
        if isElsewhere { advance() }
    }

    /// Withdraws endpoints that were reported with a key that is no longer valid for the node:
    /// clients are no longer sent there.
    mutating func withdraw(against table: AccessTable) {
        let keys = Set(reports.values.compactMap(\.key))
        let entries = table.entries(holding: keys)
        for (node, known) in reports where !known.isWithdrawn {
            guard let key = known.key, entries[key]?.speaks(for: node) != true else { continue }
            reports[node]?.isWithdrawn = true
            advance()
        }
    }

    /// Whether the node must send HELLO again, although its run is known.
    func isWithdrawn(_ node: NodeID) -> Bool { reports[node]?.isWithdrawn ?? false }

    /// The endpoints that clients and peers are sent to; `nil`: none.
    private func shownEndpoints(of node: NodeID) -> [String]? {
        reports[node].flatMap { $0.isWithdrawn ? nil : $0.endpoints }
    }

    /// The report for clients and nodes.
    ///
    /// - Parameters:
    ///   - isBySlots: whether slots are in force.
    ///   - state: the state of a node; `nil` if it was not heard from.
    func report(
        _ plan: PublisherPlan, isBySlots: Bool, state: (NodeID) -> NodeState?
    ) -> TopologyReport {
        let nodes = plan.nodes.map { node in
            TopologyReport.Node(
                id: node.id, state: state(node.id),
                weightThousandths: isBySlots
                    ? node.slotWeightThousandths : node.weightThousandths,
                endpoints: shownEndpoints(of: node.id)
                    ?? Array(repeating: "", count: node.shards))
        }
        var report = TopologyReport(
            version: version, kind: plan.kind, controlEndpoint: plan.controlEndpoint,
            liveEndpoint: plan.liveEndpoint, nodes: nodes)
        report.hasSeveralPublishers = plan.hasSeveralPublishers
        return report
    }
}
