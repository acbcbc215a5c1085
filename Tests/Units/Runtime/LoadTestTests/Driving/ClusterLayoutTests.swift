import CacheModel
import CacheWorkload
import Testing

@testable import LoadTest

@Suite struct ClusterLayoutTests {
    private static func layout(
        replicated: Bool, nodes: Int, shards: Int = 2
    ) throws -> ClusterLayout {
        ClusterLayout(
            isReplicated: replicated,
            nodes: try (1...nodes).map {
                ClusterLayout.Node(id: try #require(NodeID("n\($0)")), shardCount: shards)
            })
    }

    private static func plan(threads: Int, worker: KeyPart = .all, keys: Int = 60) -> LoadTestPlan {
        var phase = WorkloadPhase(name: "fill")
        phase.isFill = true
        phase.keyCount = keys
        var plan = LoadTestPlan(Workload(phases: [phase]))
        plan.threadCount = threads
        plan.worker = worker
        return plan
    }

    @Test func ownersAreAskedByEveryThread() throws {
        let layout = try Self.layout(replicated: false, nodes: 3)
        #expect(layout.threadCount(for: Self.plan(threads: 1)) == 1)
        #expect(layout.target(of: 5, worker: .all) == DriverTarget(shardCount: 6))
    }

    @Test func threadsTakeTheNodesInTurnAndMachinesBeginAtDifferentOnes() throws {
        let layout = try Self.layout(replicated: true, nodes: 3)
        let first = (0..<4).map { layout.target(of: $0, worker: .all).node?.description }
        #expect(first == ["n1", "n2", "n3", "n1"])
        let second = KeyPart(index: 1, count: 2)
        #expect(layout.target(of: 0, worker: second).node?.description == "n2")
        #expect(layout.target(of: 0, worker: second).shardCount == 2)
    }

    @Test func theThreadCountIsCappedByKeysAndRequestsInFlight() throws {
        let layout = try Self.layout(replicated: true, nodes: 5)
        #expect(layout.threadCount(for: Self.plan(threads: 1)) == 5)
        #expect(layout.threadCount(for: Self.plan(threads: 8)) == 8)
        #expect(layout.threadCount(for: Self.plan(threads: 1, keys: 3)) == 3)
        let half = KeyPart(index: 0, count: 2)
        #expect(layout.threadCount(for: Self.plan(threads: 1, worker: half, keys: 6)) == 3)
        var narrow = Self.plan(threads: 1)
        narrow.workload.phases[0].inFlightMax = 2
        #expect(layout.threadCount(for: narrow) == 2)
    }

    /// Every number of threads, nodes and machines: each node gets each key exactly once.
    @Test func everyNodeIsFilledWithEveryKey() throws {
        for nodes in 1...4 {
            let layout = try Self.layout(replicated: true, nodes: nodes)
            for threads in 1...6 {
                for machines in 1...3 {
                    var stored: [String: [Int]] = [:]
                    for machine in 0..<machines {
                        let worker = KeyPart(index: machine, count: machines)
                        let plan = Self.plan(threads: threads, worker: worker)
                        let phase = plan.workload.phases[0]
                        for thread in 0..<layout.threadCount(for: plan) {
                            let share = layout.share(of: thread, for: phase, in: plan)
                            let node = layout.target(of: thread, worker: worker).node
                            let count = try #require(phase.operationCount(of: share))
                            stored[try #require(node).description, default: []] +=
                                (0..<count).map(share.keys.key(at:))
                        }
                    }
                    #expect(stored.count == nodes)
                    #expect(stored.values.allSatisfy { $0.sorted() == Array(0..<60) })
                }
            }
        }
    }

    /// Who verifies fills only what it asks for, and each of its keys from one node.
    @Test func aVerifiedKeyHasOneThread() throws {
        let layout = try Self.layout(replicated: true, nodes: 3)
        var plan = Self.plan(threads: 4)
        plan.workload.phases[0].verifies = true
        let phase = plan.workload.phases[0]
        let keys = (0..<4).flatMap { thread in
            let share = layout.share(of: thread, for: phase, in: plan)
            return (0..<(phase.operationCount(of: share) ?? 0)).map(share.keys.key(at:))
        }
        #expect(keys.sorted() == Array(0..<60))
    }
}
