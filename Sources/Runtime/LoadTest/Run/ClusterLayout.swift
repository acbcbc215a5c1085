import ByteCoding
import CacheModel
import CacheWire
import CacheWorkload
import MartletClient
import Threading
import ZeroMQ

/// The nodes of the cluster, and which thread asks which of them.
///
///     sharded      every thread ─▶ each key's owner
///     replicated   thread 0 ─▶ n1, thread 1 ─▶ n2, thread 2 ─▶ n3, thread 3 ─▶ n1 …
///
/// In a replicated topology every node answers for every key: a test that asks only one node
/// measures and verifies only that one.
struct ClusterLayout: Equatable, Sendable {
    struct Node: Equatable, Sendable {
        let id: NodeID
        let shardCount: Int
    }

    let isReplicated: Bool
    let nodes: [Node]

    init(isReplicated: Bool, nodes: [Node]) {
        self.isReplicated = isReplicated
        self.nodes = nodes
    }

    init(_ report: TopologyReport) {
        self.init(
            isReplicated: report.kind == .replicated,
            nodes: report.nodes.map { Node(id: $0.id, shardCount: $0.endpoints.count) })
    }

    /// How many threads are needed: at least one for each node, if the plan can be divided among so
    /// many.
    func threadCount(for plan: LoadTestPlan) -> Int {
        guard isReplicated else { return plan.threadCount }
        let phases = plan.workload.phases
        let dealtMax = phases.reduce(LoadTestLimits.threads.upperBound) {
            min($0, $1.inFlightMax, $1.keyCount / plan.worker.count)
        }
        return max(plan.threadCount, min(nodes.count, dealtMax))
    }

    /// How many of the nodes so many threads ask.
    func askedCount(threadCount: Int) -> Int { min(threadCount, nodes.count) }

    /// The nodes that a thread asks. Machines that test together begin at different nodes.
    func target(of thread: Int, worker: KeyPart) -> DriverTarget {
        guard isReplicated, !nodes.isEmpty else {
            return DriverTarget(shardCount: nodes.reduce(0) { $0 + $1.shardCount })
        }
        let node = nodes[(thread + worker.index) % nodes.count]
        return DriverTarget(node: node.id, shardCount: node.shardCount)
    }

    /// The keys that a thread changes, or stores in a phase that fills. In a replicated topology,
    /// the threads of a node fill it with every key.
    func share(of thread: Int, for phase: WorkloadPhase, in plan: LoadTestPlan) -> ThreadShare {
        let count = threadCount(for: plan)
        guard isReplicated, phase.isFill, !phase.verifies, !nodes.isEmpty else {
            return ThreadShare(thread: thread, of: count, worker: plan.worker)
        }
        let peerCount = (count - 1 - thread % nodes.count) / nodes.count + 1
        return ThreadShare(
            thread: thread, of: count,
            keys: plan.worker.part(thread / nodes.count, of: peerCount))
    }
}

/// Asks all endpoints at once for the topology; the first answer counts.
struct TopologyQuestion: ~Copyable {
    private final class Line {
        let socket: Socket
        var isSent = false

        init(_ context: Context, _ endpoint: String) throws {
            socket = try Socket(context, .dealer)
            try socket.connect(Endpoint(endpoint, for: .connecting))
        }
    }

    private let lines: [Line]
    private var writer = ByteWriter(capacityBytes: 64)
    private var frame = Frame()

    private init(_ context: Context, _ endpoints: [String]) throws {
        lines = try endpoints.map { try Line(context, $0) }
        MessageWriter(.topology, requestID: 1, into: &writer).finish(&writer, count: 0)
    }

    /// - Returns: `nil` if no endpoint answers within `timeout`, or one is malformed.
    static func layout(
        _ endpoints: [String], keys: ClientKeys? = nil, timeout: Duration
    ) -> ClusterLayout? {
        do {
            var question = try TopologyQuestion(Context(keys: keys?.pair), endpoints)
            return try question.ask(until: MonotonicClock.now.advanced(by: timeout))
        } catch {
            // The connection that follows reports the cause.
            return nil
        }
    }

    private mutating func ask(until deadline: Instant) throws -> ClusterLayout? {
        var poller = Poller()
        let places = lines.map { poller.add($0.socket, for: .writable) }
        while true {
            let now = MonotonicClock.now
            guard now < deadline else { return nil }
            _ = try poller.wait(timeout: min(deadline.elapsed(since: now), .milliseconds(100)))
            for (line, place) in zip(lines, places) {
                if line.isSent {
                    if let layout = try answer(over: line) { return layout }
                } else if try line.socket.send(writer.bytes, more: false) == .sent {
                    line.isSent = true
                    poller.watch(place, for: .readable)
                }
            }
        }
    }

    private mutating func answer(over line: Line) throws -> ClusterLayout? {
        guard try line.socket.receive(into: &frame) else { return nil }
        let message = try MessageView(decoding: frame.bytes)
        guard message.type == .topologyReport else { return nil }
        return ClusterLayout(try TopologyReport(decoding: message))
    }
}
