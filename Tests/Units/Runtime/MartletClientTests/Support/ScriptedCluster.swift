import CacheModel
import CacheWire
import Foundation
import Threading
import ZeroMQ

/// A cluster of small real servers on loopback: one shard per node, and publishers.
///
/// Each server is a ROUTER on a port of the system's choice with a dictionary behind it; a script
/// says when to misbehave. What they share – the log's head, who is where – lies under one lock.
final class ScriptedCluster: Sendable {
    struct State {
        var kind = TopologyReport.Kind.sharded
        var version: UInt32 = 1
        var control = ""
        var live = ""
        var endpoints: [String] = []
        /// What the publisher says of nodes, by their indices; LIVE and 1 where it is not said.
        var states: [Int: NodeState] = [:]
        var incarnations: [Int: UInt64] = [:]
        var head: UInt64 = 0
        var isPublisherKnown = true
        var cluster = ClusterID.none
    }

    let state: Guarded<State>
    let context: Context
    /// The first one leads, until ``lead(_:)``.
    let publishers: [ScriptedServer]
    let shards: [ScriptedServer]

    var publisher: ScriptedServer { publishers[0] }

    init(
        _ kind: TopologyReport.Kind = .sharded, nodes: Int = 1, publishers publisherCount: Int = 1
    ) throws {
        let context = try Context()
        self.context = context
        state = Guarded(State(kind: kind))
        publishers = try (0..<publisherCount).map { index in
            try ScriptedServer(
                context, name: publisherCount == 1 ? "publisher" : "p\(index + 1)",
                isPublisher: true)
        }
        shards = try (0..<nodes).map { index in
            try ScriptedServer(context, name: "n\(index)", isPublisher: false)
        }
        state.withLock {
            $0.control = publishers[0].endpoint
            $0.live = publishers[0].liveEndpoint
            $0.endpoints = shards.map(\.endpoint)
        }
        for standby in publishers.dropFirst() {
            standby.script.withLock { $0.denies = publishers[0].endpoint }
        }
        for server in publishers + shards { server.open(in: self) }
    }

    /// Another publisher leads from now on, and all others say so.
    func lead(_ index: Int) {
        let leader = publishers[index]
        state.withLock {
            ($0.control, $0.live) = (leader.endpoint, leader.liveEndpoint)
            $0.version &+= 0x9E37
        }
        for publisher in publishers {
            publisher.script.withLock {
                $0.denies = publisher === leader ? nil : leader.endpoint
            }
        }
    }

    /// No publisher leads from now on.
    ///
    /// - Parameter named: what each of them says about the leader.
    func leadNone(naming named: String = "") {
        for publisher in publishers { publisher.script.withLock { $0.denies = named } }
    }

    deinit { context.shutdown() }

    var report: TopologyReport {
        state.withLock { state in
            var report = TopologyReport(
                version: state.version, kind: state.kind, controlEndpoint: state.control,
                liveEndpoint: state.live,
                nodes: state.endpoints.enumerated().compactMap { index, endpoint in
                    NodeID("n\(index)").map {
                        TopologyReport.Node(
                            id: $0, state: state.states[index] ?? .live, endpoints: [endpoint])
                    }
                })
            report.cluster = state.cluster
            report.hasSeveralPublishers = publishers.count > 1
            return report
        }
    }

    /// The lines of the publisher's status.
    var lines: [StatusReport.NodeLine] {
        let incarnations = state.withLock { $0.incarnations }
        return report.nodes.enumerated().map { index, node in
            StatusReport.NodeLine(
                node: node.id, state: node.state ?? .starting, applied: .none,
                incarnation: Incarnation(incarnations[index] ?? 1), grantLeftMilliseconds: 1_000)
        }
    }

    var head: LogPosition {
        state.withLock { LogPosition(epoch: Epoch(1), sequence: SequenceNumber($0.head)) }
    }

    func advanceHead() -> LogPosition {
        state.withLock {
            $0.head += 1
            return LogPosition(epoch: Epoch(1), sequence: SequenceNumber($0.head))
        }
    }

    /// A node that nobody listens for: a port that was bound and let go.
    static func deadEndpoint() throws -> String {
        let context = try Context()
        let socket = try Socket(context, .router)
        return try socket.bind(Endpoint("tcp://127.0.0.1:0")).description
    }
}

/// How one server misbehaves, and what it has seen.
struct ServerScript: Sendable {
    /// Data messages to pass over without an answer.
    var silentCount = 0
    /// Figures of its STATUS, beside those that every server tells.
    var figures: [StatusReport.Figure] = []
    /// Whether STATUS is passed over without an answer.
    var ignoresStatus = false
    /// Invalidations to pass over without an answer.
    var unansweredCount = 0
    /// Answers to replace by bytes that cannot be read behind the request id.
    var garbageCount = 0
    /// Whole messages to answer with ERROR BUSY.
    var busyMessageCount = 0
    /// When they say to come again.
    var busyMilliseconds: UInt32?
    /// Keys whose messages are refused as a whole, for want of a right.
    var forbidden: Set<[UInt8]> = []
    /// Operations to answer with BUSY.
    var busyCount = 0
    /// Operations to answer with DEFERRED.
    var deferredCount = 0
    /// Uploads to forget before the store that names them.
    var lostUploads = 0
    /// Answers to keep back until ``isHolding`` is false again, but the topology: it is slow.
    var isHolding = false
    /// All answers to keep back until ``isMute`` is false again: it is stopped.
    var isMute = false
    /// What a store that brings a token is refused with.
    var refusesFills: StoreRefusal?
    /// What every read is answered with instead of the truth.
    var status: ResultStatus?
    var detail: UInt8 = 0
    /// A status that no version knows.
    var unknownStatusCount = 0
    var topologyVersion: UInt32?
    /// Of another cluster than the topology says.
    var cluster: ClusterID?
    /// Of a release that counts nothing.
    var isOlder = false
    /// The position that every answer claims to reflect, instead of the head.
    var claim: LogPosition?
    /// Whether reads that ask for more than the head are told that it is behind.
    var isHonestlyBehind = false
    /// Of a publisher that tells nobody where its head is.
    var refusesToFollow = false
    /// Of a client without the role `metrics`.
    var refusesStatus = false
    /// Whether it passes over questions for the topology.
    var ignoresTopology = false
    /// What every scan is answered with instead of the truth.
    var page: ScanPage?
    /// What every count is answered with instead of the truth.
    var counted: CountReply?
    /// Of a publisher that does not lead: the endpoint in NOT LEADER, or none.
    var denies: String?
    /// Whether it says in NOT LEADER that the request may have been done.
    var deniesInDoubt = false
    /// Whether a publisher that does not lead answers requests for the topology as if it led.
    var claimsTopology = false
    /// Done when STEP DOWN arrives; `nil` if there is only one publisher.
    var stepDown: (@Sendable () -> Void)?

    /// Every request, in order.
    var seen: [Seen] = []

    struct Seen: Sendable {
        var type: MessageType
        var count: Int
        var atLeast: LogPosition?
        var topologyVersion: UInt32?
        var operation: OperationID
        var trace: TraceContext?
        var isAgain = false
        var cluster = ClusterID.none
        var maxAgeMilliseconds: UInt32?
        var bytes: [UInt8] = []
    }

    func count(_ type: MessageType) -> Int { seen.count { $0.type == type } }
}
