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
    /// Keys that the log gives to nodes: docs/slots.md.
    @Suite(.serialized) struct SlotsTests {
        private static var plan: ClusterPlan {
            var plan = ClusterPlan(.slots)
            (plan.lease, plan.heartbeat, plan.failoverAfter) = ("1s", "200ms", "2s")
            return plan
        }

        private static func restart(_ node: NodeID, of cluster: Cluster) throws -> RunningProgram {
            try RunningProgram(
                ["node", "--id", node.name, "--config", cluster.configurationFile.path],
                name: "\(node)-again", in: cluster.directory.url)
        }

        private static func stopPublisher(of cluster: Cluster) async throws {
            ProcessTable.send(SIGTERM, to: cluster.ready.publisher.pid)
            try await eventually("the publisher has ended") {
                !ProcessTable.isAlive(cluster.ready.publisher.pid)
            }
        }

        private static func startPublisher(of cluster: Cluster) throws -> RunningProgram {
            try RunningProgram(
                ["publisher", "--config", cluster.configurationFile.path],
                name: "publisher-again", in: cluster.directory.url)
        }

        @Test func theKeysOfADeadNodeGoToTheOthersAndSomeComeBack() async throws {
            try await withCluster(Self.plan) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(150)
                try await view.fill(entries)
                let victim = view.nodes[1]
                let lost = try await cluster.owned(by: victim, of: entries)
                let left = entries.filter { !lost.contains($0) }
                #expect(lost.count > 20 && left.count > 60)
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: victim))

                try await eventually("the keys can be stored again") {
                    try await view.fill(lost)
                    return true
                }
                let found = await view.find(entries, at: nil)
                #expect(found.fresh == Set(entries.map(\.key)), "\(found)")
                let shared = try await cluster.slots()
                #expect(shared == ["n1": 8_192, "n2": 0, "n3": 8_192], "\(shared)")
                let receipt = try await cluster.client.invalidate(
                    [Scope(.tag(.named("tag-1"), in: .default))], timeout: .seconds(15))
                #expect(receipt.isComplete)
                let kept = entries.filter { $0.tags != ["tag-1"] }
                await view.expect(only: kept, of: entries)

                let again = try Self.restart(victim, of: cluster)
                defer { again.kill() }
                try await eventually("\(victim) has slots again") {
                    let count = try await cluster.slots()[victim.name] ?? 0
                    return try await cluster.areSlotsServed() && count > 0
                }
                let counts = try await cluster.slots().values.sorted()
                #expect(counts == [5_461, 5_461, 5_462], "as few as possible move")
                let moved = await view.find(kept, at: nil)
                #expect(moved.failures.isEmpty && moved.stale.isEmpty, "\(moved)")
                #expect(moved.fresh.count > kept.count / 2, "an owner that stays keeps its entries")
                try await view.fill(entries)
                await view.expect(only: entries, of: entries)
            }
        }

        /// With one of two nodes left there is no majority, so that a command is needed.
        @Test func ofTwoNodesTheDeadOneIsForgottenAndItsKeysCanBeStored() async throws {
            var plan = Self.plan
            plan.nodeCount = 2
            try await withCluster(plan) { cluster in
                let victim = cluster.view.nodes[1]
                let entries = SampleEntry.many(60)
                try await cluster.view.fill(entries)
                let lost = try await cluster.owned(by: victim, of: entries)
                #expect(lost.count > 10)
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: victim))
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                // Refused while its lease may last.
                try await eventually("it is forgotten") {
                    try await Program.run(["forget", victim.name, "--cluster", endpoint]).code == 0
                }
                try await eventually("the keys can be stored again") {
                    try await cluster.view.fill(lost)
                    return true
                }
                #expect(try await cluster.slots() == ["n1": 16_384, "n2": 0])
                await cluster.view.expect(only: entries, of: entries)
            }
        }

        /// The others take its entries over before it ends, and give them back.
        @Test func aDrainedNodeHandsItsEntriesOverAndGetsThemBack() async throws {
            try await withCluster(Self.plan) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(150)
                try await view.fill(entries)
                let leaver = view.nodes[1]
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let drained = try await Program.run([
                    "drain", leaver.name, "--cluster", endpoint,
                ])
                #expect(drained.code == 0, "\(drained)")
                await view.expect(only: entries, of: entries)
                let receipt = try await cluster.client.invalidate(
                    [Scope(.tag(.named("tag-1"), in: .default))], timeout: .seconds(15))
                #expect(receipt.isComplete)
                let kept = entries.filter { $0.tags != ["tag-1"] }
                await view.expect(only: kept, of: entries)

                let again = try Self.restart(leaver, of: cluster)
                defer { again.kill() }
                try await eventually("\(leaver) has its share again") {
                    let count = try await cluster.slots()[leaver.name] ?? 0
                    return try await cluster.areSlotsServed() && count > 5_000
                }
                try await eventually("it has the entries, too") {
                    await view.find(entries, at: nil).fresh == Set(kept.map(\.key))
                }
            }
        }

        /// Drained nodes have given their keys away before they end, so that no request fails.
        @Test func nodesThatDrainInTurnLeaveNobodyWithoutAnAnswer() async throws {
            try await withCluster(Self.plan) { cluster in
                let entries = SampleEntry.many(120)
                try await cluster.view.fill(entries)
                let requests = Requests(cluster.client, entries)
                async let made: Void = requests.run()
                for node in cluster.view.nodes.prefix(2) {
                    try await requests.goOn()
                    let endpoint = try #require(cluster.ready.publisher.endpoint)
                    let drained = try await Program.run([
                        "drain", node.name, "--cluster", endpoint,
                    ])
                    #expect(drained.code == 0, "\(drained)")
                    #expect(try await cluster.slots()[node.name] == 0)
                }
                try await requests.goOn()
                await requests.stop()
                await made
                let failures = await requests.failures
                #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
                #expect(try await cluster.slots()["n3"] == 16_384)
            }
        }

        /// The keys of a node go to the others and come back while it asks for them.
        @Test func aVerifiedLoadGoesOnWithoutAnErrorWhileANodeLeavesAndReturns() async throws {
            try await withCluster(Self.plan) { cluster in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let load =
                    "bench --cluster \(endpoint) --verify --keys 600 --rate 800 --duration 10m "
                    + "--mix get:0.9,invalidate:0.1 --json"
                let bench = try RunningProgram(
                    load.split(separator: " ").map(String.init), name: "bench",
                    in: cluster.directory.url)
                defer { bench.kill() }
                try await eventually("it stores what it misses") {
                    let all = try await cluster.client.cluster.count([
                        Scope(.everything)
                    ])
                    return all.reduce(0) { $0 + $1.entryCount } > 300
                }
                let leaver = cluster.view.nodes[1]
                let drained = try await Program.run([
                    "drain", leaver.name, "--cluster", endpoint,
                ])
                #expect(drained.code == 0, "\(drained)")
                let second = try await BenchTests.bench(cluster, "--requests 200 --json")
                #expect(second.code == 0, "it needs no node without keys: \(second)")
                let again = try Self.restart(leaver, of: cluster)
                defer { again.kill() }
                try await eventually("\(leaver) has its share again") {
                    let count = try await cluster.slots()[leaver.name] ?? 0
                    return try await cluster.areSlotsServed() && count > 5_000
                }
                bench.signal(SIGINT)
                #expect(try await bench.ended() == 0, "\(bench.errors)")
                let figures = try BenchTests.figures(of: bench.output)
                #expect(figures.errors == 0 && figures.violations == 0, "\(bench.output)")
                #expect(figures.hits > 2 * figures.misses, "\(figures)")
            }
        }

        /// No file names it, and the publisher knows it again after a restart.
        @Test func aNodeJoinsWithItsShareByMemoryAndLeavesWithoutAFileThatListsIt() async throws {
            var plan = Self.plan
            (plan.isOpen, plan.nodeCount) = (true, 2)
            try await withCluster(plan) { cluster in
                let entries = SampleEntry.many(120)
                try await cluster.view.fill(entries)
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let joiner = try RunningProgram(
                    [
                        "node", "--id", "extra", "--join", "--memory", "512MiB", "--publisher",
                        endpoint,
                    ], name: "extra", in: cluster.directory.url)
                defer { joiner.kill() }
                let joined: [String: UInt64] = ["n1": 4_096, "n2": 4_096, "extra": 8_192]
                try await eventually("it has its share") {
                    let isThere = try await cluster.slots() == joined
                    return try await cluster.areSlotsServed() && isThere
                }
                try await eventually("its entries moved along") {
                    await cluster.view.find(entries, at: nil).fresh == Set(entries.map(\.key))
                }

                try await Self.stopPublisher(of: cluster)
                let publisher = try Self.startPublisher(of: cluster)
                defer { publisher.kill() }
                try await eventually("receipts have its answer again") {
                    let receipt = try await cluster.client.invalidate(
                        [Scope(.tag(.named("tag-1"), in: .default))], timeout: .seconds(15))
                    let names = receipt.applied.map(\.node.name)
                    return receipt.isComplete && names.contains("extra")
                }
                #expect(try await cluster.slots() == joined)

                let drained = try await Program.run(["drain", "extra", "--cluster", endpoint])
                #expect(drained.code == 0, "\(drained)")
                #expect(try await joiner.ended() == 0, "\(joiner.errors)")
                try await eventually("no row is left of it") {
                    try await cluster.slots() == ["n1": 8_192, "n2": 8_192]
                }
                let kept = entries.filter { $0.tags != ["tag-1"] }
                await cluster.view.expect(only: kept, of: entries)
            }
        }

        @Test func aNodeThatMayNotJoinIsToldWhatToDo() async throws {
            var plan = Self.plan
            plan.nodeCount = 1
            try await withCluster(plan) { cluster in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let ending = try await Program.run([
                    "node", "--id", "extra", "--join", "--publisher", endpoint,
                ])
                #expect(ending.code == 78, "\(ending)")
                #expect(ending.errors.contains("membership: open"), "\(ending)")
            }
        }

        /// A client that stores each entry and reads it back, again and again.
        private actor Requests {
            private let client: CacheClient
            private let entries: [SampleEntry]
            private var isOver = false
            private var rounds = 0
            private(set) var failures: [String] = []

            init(_ client: CacheClient, _ entries: [SampleEntry]) {
                (self.client, self.entries) = (client, entries)
            }

            func stop() { isOver = true }

            func run() async {
                while !isOver {
                    for entry in entries where !isOver { await make(entry) }
                    rounds += 1
                }
            }

            private func make(_ entry: SampleEntry) async {
                do throws(CacheError) {
                    let key = CacheKey.named(entry.key)
                    _ = try await client.set(key, to: entry.value)
                    let found = try await client.get(key)
                    // A key that moved in between is a miss.
                    if let found, found.bytes != entry.value { failures.append("\(found)") }
                } catch {
                    failures.append("\(entry.key): \(error)")
                }
            }

            /// Waits until each entry was asked for twice more.
            nonisolated func goOn() async throws {
                let wanted = await rounds + 2
                try await eventually("requests go on") { await self.rounds >= wanted }
            }
        }

        /// It reads the owners from its log.
        @Test func aPublisherThatIsStartedAgainMovesNothing() async throws {
            var plan = Self.plan
            plan.respawn = "10ms"
            try await withCluster(plan) { cluster in
                let entries = SampleEntry.many(60)
                try await cluster.view.fill(entries)
                let before = try await cluster.client.cluster.publisherStatus()
                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                try await eventually("the publisher is there again") {
                    let now = try await cluster.client.cluster.publisherStatus()
                    return now.position.epoch == before.position.epoch
                        && now.figures["slots:n1"] == before.figures["slots:n1"]
                        && now.figures["slots_waiting"] == 0
                }
                await cluster.view.expect(only: entries, of: entries)
            }
        }

        @Test func slotsNeedALogThatLasts() async throws {
            let ending = try await Program.run([
                "publisher", "--bind", "tcp://127.0.0.1:*", "--topology", "slots",
            ])
            #expect(ending.code == 78 && ending.errors.contains("--log DIRECTORY"), "\(ending)")
        }

        /// Of a cluster of before: every node goes on, and each key has one owner at any time.
        @Test func aClusterThatRunsBeginsWithSlotsWhenItsPublisherIsStartedWithThem() async throws {
            var plan = Self.plan
            plan.topology = .sharded
            (plan.failoverAfter, plan.isLogKept) = (nil, true)
            try await withCluster(plan) { cluster in
                let entries = SampleEntry.many(60)
                try await cluster.view.fill(entries)
                let file = cluster.configurationFile
                let text = try String(contentsOf: file, encoding: .utf8)
                try await Self.stopPublisher(of: cluster)
                try Data(text.replacing("topology: sharded", with: "topology: slots").utf8)
                    .write(to: file)
                let publisher = try Self.startPublisher(of: cluster)
                defer { publisher.kill() }
                try await eventually("slots are in force") {
                    let counts = try await cluster.slots()
                    return try await cluster.areSlotsServed()
                        && counts.values.sorted() == [5_461, 5_461, 5_462]
                }
                try await cluster.view.fill(entries)
                await cluster.view.expect(only: entries, of: entries)
            }
        }
    }
}
