import CacheModel
import CacheWire
import CacheWorkload

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
