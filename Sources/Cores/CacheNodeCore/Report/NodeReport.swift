package import CacheLoading
package import CacheMetrics
package import CacheModel
import CacheWire

/// The report of a whole node: each of its threads adds its part.
package struct NodeReport: HealthReport {
    package let node: NodeID
    private(set) var shards: [ShardReport] = []
    package var control = NodeControlStatistics()
    /// State of the origin scheduler for each namespace.
    package var gates: [Namespace: GateStatistics] = [:]
    package var peers = PeerStatistics()

    /// Whether the node counts as not ready while one of its origins is off, or its write queue
    /// accepts nothing.
    package var needsOrigins = false

    /// Number of spans by outcome; empty if none are recorded.
    let spans: [(name: String, count: UInt64)]

    package init(node: NodeID, spans: [(name: String, count: UInt64)] = []) {
        self.node = node
        self.spans = spans
    }

    /// Adds a shard's report, in the order of shards.
    package mutating func add(_ shard: ShardReport) {
        let place = shards.firstIndex { $0.shard.rawValue > shard.shard.rawValue }
        shards.insert(shard, at: place ?? shards.count)
    }

    /// The shard with the weakest guarantee, which represents its node.
    var spokesman: ShardReport? {
        shards.first { !$0.status.state.isServing } ?? shards.first
    }

    /// Whether the node should receive work: it has a lease, and is not leaving.
    package var readiness: Readiness {
        guard let shard = spokesman else { return .unready("no shard has said anything yet") }
        if shard.status.state.isServing {
            return needsOrigins ? originTrouble.map { .unready($0) } ?? .ready : .ready
        }
        return .unready("\(shard.status.state): \(Self.sentence(shard.reason))")
    }

    private var originTrouble: String? {
        let figures = shards.flatMap(\.status.figures).filter { $0.value > 0 }
        if figures.contains(where: { $0.name == "queue_unusable" }) {
            return "its write queue takes nothing; the node's log says why"
        }
        let prefix = "origin_off:"
        return figures.first { $0.name.hasPrefix(prefix) }.map {
            "namespace \($0.name.dropFirst(prefix.count)) has no origin: the node's log says which "
                + "variable is missing"
        }
    }

    private static func sentence(_ reason: StandingReason?) -> String {
        switch reason {
        case .publisherUnheard: "nothing was heard of the publisher since the start"
        case .publisherSilent: "the publisher does not answer"
        case .noConfiguration:
            "it has no configuration: none was sent, or none that it can read (its log says why)"
        case .replaying: "records that it missed are being replayed"
        case .diverged: "the publisher's log contradicts what was applied"
        case .shardsBehind: "not every shard has applied the records that it received"
        case .leaseWithheld: "the publisher answers and gives no lease"
        case .leaseAwaited: "it has asked for its lease and waits for the answer"
        case .draining: "it was told to leave"
        case .noLeader: "publishers answer, but none of them leads"
        case nil: "it has no lease"
        }
    }
}

extension NodeState {
    /// Whether a node in this state should receive work.
    fileprivate var isServing: Bool { hasLease && self != .draining }
}
