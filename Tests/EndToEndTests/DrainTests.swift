import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// Nodes that leave in order, and nodes that did not.
    @Suite(.serialized) struct DrainTests {
        @Test func aNodeDrainsUnderLoadWithoutWrongAnswers() async throws {
            var plan = ClusterPlan()
            plan.respawn = "100ms"
            try await withCluster(plan) { cluster in
                let victim = cluster.view.nodes[1]
                let story = DrainedLoad(cluster.client, victim: victim)
                async let load: Void = story.run()
                try await eventually("the load is served") { await story.answers > 500 }

                let drained = try await Self.run("drain", victim, cluster)
                #expect(drained.code == 0, "\(drained)")
                #expect(drained.output.contains(#""gone":true,"ending":"left""#), "\(drained)")
                let receipt = try await cluster.client.invalidate(
                    [Scope(.tag(.named("another"), in: .default))], wait: .all)
                #expect(receipt.isComplete, "\(receipt)")
                let line = receipt.expired.first { $0.node == victim }
                #expect(line?.elapsed == .zero, "nobody waits for its grant: \(receipt)")

                let before = await story.answers
                try await eventually("the load goes on") { await story.answers > before + 500 }
                await story.stop()
                try await load
                #expect(await story.wrongAnswers == [])
                #expect(await story.strangeErrors == [])
                try await Self.expectStaysAway(victim, cluster)
            }
        }

        private static func run(
            _ verb: String, _ node: NodeID, _ cluster: Cluster
        ) async throws -> Program.Ending {
            let endpoint = try #require(cluster.ready.publisher.endpoint)
            return try await Program.run([verb, node.name, "--cluster", endpoint, "--json"])
        }

        /// What ended with 0 is not started again, and `up` says so; what is killed is.
        private static func expectStaysAway(_ victim: NodeID, _ cluster: Cluster) async throws {
            let process = try cluster.processID(of: victim)
            try await eventually("up says that it stays away") {
                cluster.up.errors.contains("\(victim) (pid \(process)) has left in order")
            }
            #expect(!ProcessTable.isAlive(process))
            let other = cluster.view.nodes[2]
            ProcessTable.send(SIGKILL, to: try cluster.processID(of: other))
            try await eventually("the other one is started again") {
                cluster.up.errors.contains("\(other) started again")
            }
            #expect(!cluster.up.errors.contains("\(victim) started again"))
        }

        @Test func aDrainIsAnsweredTrulyWhereverTheNodeIs() async throws {
            try await withCluster { cluster in
                let victim = cluster.view.nodes[0]
                let unknown = try await Self.run("drain", try #require(NodeID("n9")), cluster)
                #expect(unknown.code == 64 && unknown.errors.contains("n1, n2, n3"), "\(unknown)")
                #expect(try await Self.run("drain", victim, cluster).code == 0)
                let again = try await Self.run("drain", victim, cluster)
                #expect(again.code == 0 && again.output.contains(#""ending":"absent""#), "\(again)")
                let stopped = cluster.view.nodes[1]
                let process = try cluster.processID(of: stopped)
                try await ProcessTable.stop(process)
                let silent = try await Self.run("drain", stopped, cluster)
                ProcessTable.send(SIGCONT, to: process)
                #expect(silent.code == 3 && silent.errors.contains("does not answer"), "\(silent)")
            }
        }

        @Test func aDeadNodeIsForgottenOnceItsGrantIsOver() async throws {
            try await withCluster { cluster in
                let (client, nodes) = (cluster.client, cluster.view.nodes)
                let live = try await Self.run("forget", nodes[0], cluster)
                #expect(live.code == 4 && live.errors.contains("LIVE"), "\(live)")
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: nodes[1]))
                try await eventually("its grant is over, and it is forgotten") {
                    try await client.cluster.forget(nodes[1]) == 1
                }
                let lines = try await client.cluster.publisherStatus().nodes
                #expect(lines.filter { $0.incarnation == .none }.map(\.node) == [nodes[1]])
                #expect(
                    try await client.cluster.topology(isRefreshed: true).nodes.map(\.id) == nodes)
                #expect(try await Self.run("forget", nodes[1], cluster).code == 0)
            }
        }
    }
}

/// Loads and invalidations without end, each answer judged: what was invalidated before a load
/// began is never its answer.
private actor DrainedLoad {
    private static let keyCount = 60
    private static let readers = 6

    private let client: CacheClient
    private let victim: NodeID
    private var generation = 0
    private var acknowledged = 0
    private var isOver = false
    private(set) var answers = 0
    private(set) var wrongAnswers: [String] = []
    private(set) var strangeErrors: [String] = []

    init(_ client: CacheClient, victim: NodeID) {
        self.client = client
        self.victim = victim
    }

    func stop() { isOver = true }

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.change() }
            for reader in 0..<Self.readers { group.addTask { try await self.read(reader) } }
            try await group.waitForAll()
        }
    }

    /// Changes what the origin tells, and has everybody forget what it told before.
    private func change() async throws {
        while !isOver {
            generation += 1
            let told = generation
            let receipt = try await client.invalidate([Scope(.tag(.named("told"), in: .default))])
            if receipt.isComplete { acknowledged = told }
        }
    }

    private nonisolated func read(_ reader: Int) async throws {
        var options = LoadOptions()
        options.read.timeout = .seconds(2)
        var number = reader
        while !(await isOver) {
            number = (number + Self.readers) % Self.keyCount
            let key = CacheKey.named("key-\(number)")
            let floor = await acknowledged
            let value = await client.load(key, options: options) { _ in await self.tell() }
            await judge(value, floor)
            if let error = value.notStored {
                let owner = try await client.cluster.owner(of: key)
                await judge(error, of: key, isOwnerLeaving: owner == victim)
            }
        }
    }

    private func tell() -> LoadedValue {
        var options = StoreOptions()
        options.tags = [.named("told")]
        return LoadedValue(Array("\(generation)".utf8), options: options)
    }

    private func judge(_ value: CachedValue, _ floor: Int) {
        answers += 1
        let told = Int(String(decoding: value.bytes, as: UTF8.self)) ?? 0
        if told < floor || value.isStale {
            wrongAnswers.append("\(told) after \(floor), stale: \(value.isStale)")
        }
    }

    /// What may keep a value from being stored: an invalidation or another caller, and at the node
    /// that leaves, that it does, or is gone.
    private func judge(_ error: CacheError, of key: CacheKey, isOwnerLeaving: Bool) {
        switch (error.code, error.refusal) {
        case (_, .invalidatedMeanwhile), (_, .leaseVoid), (.busy, _): return
        case (_, .draining), (.disconnected, _), (.timedOut, _):
            if isOwnerLeaving { return }
        default: break
        }
        strangeErrors.append("\(key): \(error)")
    }
}
