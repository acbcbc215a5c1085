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
    @Suite(.serialized) struct LiveChannelTests {
        /// Scenario 15. Nothing else tells the head: the lease is so long that no PING is due.
        @Test func heartbeatsAloneRevealALossAtTheEndOfABurst() async throws {
            var plan = ClusterPlan()
            plan.lease = "60s"
            plan.heartbeat = "200ms"
            try await withProxiedCluster(plan) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(200)
                try await view.fill(entries)
                try await view.invalidateEach(entries.prefix(50).map(\.key))
                try await view.settle()
                #expect(cluster.proxy.droppedCount == 0)
                let settled = try await figure("replays", view)

                cluster.proxy.set(.heartbeatsOnly)
                try await view.invalidateEach(entries[50..<150].map(\.key))
                try await view.settle(within: .seconds(10))
                #expect(cluster.proxy.droppedCount > 0, "nothing was lost")
                #expect(try await figure("replays", view) > settled)
                await view.expect(only: Array(entries.suffix(50)), of: entries)
            }
        }

        /// Scenario 16.
        @Test func recordsThatAreLostDoubledAndShuffledAreEachAppliedOnce() async throws {
            var plan = ClusterPlan()
            plan.heartbeat = "200ms"
            try await withProxiedCluster(plan) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(400)
                try await view.fill(entries)
                let before = try await figure("applied_records", ofShardIn: view)
                cluster.proxy.set(.shuffled)
                var highest = LogPosition.none
                for entry in entries.prefix(200) {
                    let target = Scope.Target.key(.named(entry.key), in: .default)
                    _ = try await view.client.invalidate([Scope(target)], wait: .none)
                    let applied = try await view.applied(view.nodes[0])
                    #expect(applied >= highest, "applied went back")
                    highest = applied
                }
                try await view.settle()
                #expect(cluster.proxy.droppedCount > 0, "nothing was lost")
                let after = try await figure("applied_records", ofShardIn: view)
                #expect(after - before == 200)
                await view.expect(only: Array(entries.suffix(200)), of: entries)
            }
        }

        /// Scenario 23: the control channel is the reliable path.
        @Test(arguments: [LiveProxy.Mode.silent, .closed])
        func aNodeWithoutLiveMessagesCatchesUpOverTheControlChannel(
            mode: LiveProxy.Mode
        ) async throws {
            var plan = ClusterPlan()
            plan.lease = "1500ms"
            plan.heartbeat = "200ms"
            try await withProxiedCluster(plan) { cluster in
                let view = cluster.view
                let node = view.nodes[0]
                let entries = SampleEntry.many(300)
                try await view.fill(entries)
                try await view.invalidate(.key(.named("nobody"), in: .default))
                #expect(cluster.proxy.passedCount > 0, "nothing came through the proxy")
                cluster.proxy.set(mode)
                try await view.invalidateEach(entries.prefix(200).map(\.key))
                let head = try await view.head()
                let left = Array(entries.suffix(100))
                try await eventually("it reaches \(head)") {
                    try await view.applied(node) >= head
                }
                let found = await view.find(entries)
                #expect(found.missing.count == 200, "\(found)")
                #expect(found.failures.isEmpty, "\(found)")
                // It must not call fresh for longer than a lease what it hears nothing of.
                let receipt = try await view.client.invalidate(
                    [Scope(.key(.named(left[0].key), in: .default))], timeout: .seconds(15))
                #expect(receipt.isComplete)
                #expect(await view.find([left[0]]).fresh.isEmpty)

                cluster.proxy.set(.open)
                try await view.settle()
                await view.expect(only: Array(left.dropFirst()), of: entries)
                let again = try await view.invalidate(.everything)
                #expect(again.position > head)
            }
        }

        /// Scenario 14: records stream by while a node joins.
        @Test func aLateJoinerMissesNothing() async throws {
            var plan = ClusterPlan(.replicated)
            plan.respawn = "10ms"
            try await withCluster(plan) { cluster in
                let view = cluster.view
                let joiner = view.nodes[0]
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: joiner))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await view.invalidateEach((0..<4_000).map { "nobody-\($0)" })
                    }
                    try await eventually("the node is live") {
                        try await view.client.cluster.status(of: joiner).allSatisfy {
                            $0.state == .live
                        }
                    }
                    try await group.waitForAll()
                }
                try await view.settle()
            }
        }

        private func figure(_ name: String, _ view: ClusterView) async throws -> UInt64 {
            try #require(try await view.client.cluster.publisherStatus().figures[name])
        }

        private func figure(_ name: String, ofShardIn view: ClusterView) async throws -> UInt64 {
            let shard = try #require(try await view.client.cluster.status(of: view.nodes[0]).first)
            return try #require(shard.figures[name])
        }
    }
}
