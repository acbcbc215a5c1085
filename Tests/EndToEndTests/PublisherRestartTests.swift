import CacheModel
import MartletClient
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    @Suite(.serialized) struct PublisherRestartTests {
        private static func plan() -> ClusterPlan {
            var plan = ClusterPlan(.replicated)
            plan.lease = "1s"
            plan.heartbeat = "200ms"
            plan.respawn = "2s"
            return plan
        }

        /// Scenario 18.
        @Test func readsGoOnWithoutAPublisherAndItsRestartHidesNothing() async throws {
            try await withCluster(Self.plan()) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(300)
                try await view.fill(entries)
                try await view.invalidate(.tag(.named("tag-1"), in: .default))
                let left = entries.filter { $0.tags != ["tag-1"] }
                await view.expect(only: left, of: entries)
                let head = try await view.head()

                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                try await expectReads(of: left, view, until: { $0.stale.count == left.count })
                try await expectReads(of: left, view, until: { $0.fresh.count == left.count })
                try await view.settle()
                await view.expect(only: left, of: entries)

                #expect(try await view.head() == head, "the log goes on where it stood")
                let receipt = try await view.invalidate(.tag(.named("tag-2"), in: .default))
                #expect(receipt.position.epoch == head.epoch)
                #expect(receipt.position.sequence == head.sequence.next)
                await view.expect(only: left.filter { $0.tags != ["tag-2"] }, of: entries)
                #expect(cluster.up.errors.contains("publisher started again"))
            }
        }

        /// Reads on every node, none of which may fail or miss, until all readers found enough.
        private func expectReads(
            of entries: [SampleEntry], _ view: ClusterView,
            until isEnough: (ClusterView.Finding) -> Bool
        ) async throws {
            var last = ""
            try await eventually("the reads change: \(last)") {
                var reachedCount = 0
                for node in view.nodes {
                    let found = await view.find(entries, at: node)
                    last = "\(node): \(found)"
                    #expect(found.failures.isEmpty && found.missing.isEmpty, "\(last)")
                    reachedCount += isEnough(found) ? 1 : 0
                }
                return reachedCount == view.nodes.count
            }
        }

        /// Scenario 19: the publisher dies together with the only node awake, and numbers that
        /// the others have obeyed are used again.
        @Test func aTailLostWithThePublisherOpensANewEpoch() async throws {
            try await withCluster(Self.plan()) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(100)
                try await view.fill(entries)
                for _ in 0..<3 { try await view.invalidate(.tag(.named("tag-1"), in: .default)) }
                let lost = try await view.head()
                let sleepers = try view.nodes.dropFirst().map { try cluster.processID(of: $0) }
                defer { for sleeper in sleepers { ProcessTable.send(SIGCONT, to: sleeper) } }
                for sleeper in sleepers { try await ProcessTable.stop(sleeper) }
                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: view.nodes[0]))
                try await eventually("publisher and first node are there again") {
                    cluster.up.errors.contains("publisher started again")
                        && cluster.up.errors.contains("\(view.nodes[0]) started again")
                }
                let other = Scope(.tag(.named("tag-2"), in: .default))
                var reused = LogPosition.none
                try await eventually("the new publisher takes an invalidation") {
                    reused = try await cluster.client.invalidate([other], wait: .none).position
                    return true
                }
                #expect(reused < lost, "\(reused) is a number used again")

                for sleeper in sleepers { ProcessTable.send(SIGCONT, to: sleeper) }
                try await view.settle()
                let settled = try await view.head()
                #expect(settled.epoch > lost.epoch, "\(settled) after \(lost)")
                let gone = entries.filter { ["tag-1", "tag-2"].contains($0.tags[0]) }
                for node in view.nodes {
                    let found = await view.find(gone, at: node)
                    #expect(found.missing.count == gone.count, "\(node): \(found)")
                }
                try await view.fill(entries)
                await view.expect(only: entries, of: entries)
                try await view.invalidate(.everything)
                await view.expect(only: [], of: entries)
            }
        }

        /// Scenario 22: a new run of a node is empty, and begins at the head.
        @Test func aNodeThatIsStartedAgainBeginsAtTheHead() async throws {
            var plan = ClusterPlan(.sharded)
            plan.respawn = "100ms"
            try await withCluster(plan) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(90)
                try await view.fill(entries)
                try await view.invalidateEach((0..<20).map { "nobody-\($0)" })
                let victim = view.nodes[2]
                let owned = try await cluster.owned(by: victim, of: entries)
                #expect(!owned.isEmpty)
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: victim))
                try await eventually("it is started again") {
                    cluster.up.errors.contains("\(victim) started again")
                }
                try await view.settle()
                let shard = try #require(try await view.client.cluster.status(of: victim).first)
                #expect(shard.figures["applied_records"] == 0)
                #expect(shard.position.sequence.rawValue >= 20)
                let found = await view.find(owned)
                #expect(found.missing.count == owned.count, "\(found)")
                try await view.invalidate(.tag(.named("tag-1"), in: .default))
                try await view.fill(owned)
                await view.expect(only: owned, of: owned)
            }
        }
    }
}

extension Cluster {
    /// The entries that a node of a sharded cluster answers for.
    func owned(by node: NodeID, of entries: [SampleEntry]) async throws -> [SampleEntry] {
        let values = try await client.get(entries.map { .named($0.key) })
        return zip(entries, values).filter { $1?.node == node }.map(\.0)
    }
}
