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
    @Suite(.serialized) struct StoppedNodeTests {
        /// Three records fit into the kernel's buffers, so they may arrive late on the live channel
        /// just as well as by replay.
        @Test func aStoppedNodeIsOwedThenExpiredAndCatchesUp() async throws {
            try await withCluster(ClusterPlan(.replicated)) { cluster in
                let view = cluster.view
                let client = cluster.client
                let entries = SampleEntry.many(300)
                try await view.fill(entries)
                let sleeper = view.nodes[1]
                let process = try cluster.processID(of: sleeper)
                let truncations = try await figure("truncations", view)
                try await ProcessTable.stop(process)
                defer { ProcessTable.send(SIGCONT, to: process) }

                let tag = Scope(.tag(.named("tag-3"), in: .default))
                let owed = try await client.invalidate([tag], wait: .all, timeout: .seconds(1))
                #expect(!owed.isComplete)
                #expect(owed.pending == [sleeper])
                #expect(owed.applied.map(\.node).sorted() == [view.nodes[0], view.nodes[2]])
                let quorum = try await client.invalidate([tag], wait: .quorum)
                #expect(quorum.isComplete)

                let expired = try await client.invalidate(
                    [tag], wait: .all, timeout: .seconds(15))
                #expect(expired.isComplete)
                #expect(expired.pending.isEmpty)
                #expect(expired.expired.map(\.node) == [sleeper])
                for line in expired.expired { #expect(line.elapsed < .seconds(5), "\(line)") }

                ProcessTable.send(SIGCONT, to: process)
                try await neverFresh(entries.filter { $0.tags == ["tag-3"] }, on: sleeper, view)
                await view.expect(
                    only: entries.filter { $0.tags != ["tag-3"] }, of: entries)
                #expect(try await figure("truncations", view) == truncations)
                try await view.invalidate(.everything)
            }
        }

        /// Scenario 26: nobody waits for it, and it does not hold the publisher's memory.
        @Test func aNodeStoppedForTenThousandInvalidationsServesNoInvalidatedEntry() async throws {
            try await withCluster(ClusterPlan(.replicated)) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(600)
                let gone = Array(entries.prefix(300))
                try await view.fill(entries)
                let sleeper = view.nodes[1]
                let process = try cluster.processID(of: sleeper)
                let publisher = cluster.ready.publisher.pid
                // What the log touches takes its pages once, whoever sleeps.
                try await view.invalidateEach((0..<9_700).map { "anybody-\($0)" })
                let before = ProcessTable.residentBytes(publisher) ?? 0
                let head = try await view.head()
                try await ProcessTable.stop(process)
                defer { ProcessTable.send(SIGCONT, to: process) }

                let others = (0..<9_700).map { "nobody-\($0)" }
                try await view.invalidateEach(gone.map(\.key) + others)
                let last = try await view.head()
                #expect(last.sequence.rawValue == head.sequence.rawValue + 10_000)
                let quorum = try await cluster.client.invalidate(
                    [Scope(.key(.named("nobody"), in: .default))], wait: .quorum)
                #expect(quorum.isComplete)
                let after = ProcessTable.residentBytes(publisher) ?? 0
                #expect(after - before < 64 << 20, "the publisher grew by \(after - before) bytes")

                ProcessTable.send(SIGCONT, to: process)
                try await neverFresh(gone, on: sleeper, view)
                await view.expect(only: Array(entries.dropFirst(300)), of: entries)
            }
        }

        /// Nothing of the live channel is left for it in any buffer: the log is all there is.
        @Test func aStoppedNodeThatLostLiveMessagesCatchesUpByReplay() async throws {
            try await withProxiedCluster(ClusterPlan()) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(200)
                let gone = Array(entries.prefix(100))
                try await view.fill(entries)
                let replays = try await figure("replays", view)
                let truncations = try await figure("truncations", view)
                try await ProcessTable.stop(cluster.node.processID)
                defer { cluster.node.signal(SIGCONT) }
                cluster.proxy.set(.heartbeatsOnly)
                let others = (0..<9_900).map { "nobody-\($0)" }
                try await view.invalidateEach(gone.map(\.key) + others)
                cluster.node.signal(SIGCONT)
                try await neverFresh(gone, on: view.nodes[0], view)
                #expect(cluster.proxy.droppedCount > 0, "nothing was lost")
                #expect(try await figure("replays", view) > replays)
                #expect(try await figure("truncations", view) == truncations)
                await view.expect(only: Array(entries.dropFirst(100)), of: entries)
            }
        }

        /// Scenario 17: what cannot be replayed any more is hidden at once. Then the node is told
        /// what was touched, and shows the rest again.
        @Test func aNodeThatSleptPastTheRetentionKeepsWhatNothingTouched() async throws {
            var plan = ClusterPlan()
            plan.retentionRecords = 100
            try await withProxiedCluster(plan) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(100)
                let gone = Array(entries.prefix(10))
                try await view.fill(entries)
                try await ProcessTable.stop(cluster.node.processID)
                defer { cluster.node.signal(SIGCONT) }
                cluster.proxy.set(.heartbeatsOnly)
                try await view.invalidateEach(gone.map(\.key))
                try await view.invalidateEach((0..<200).map { "nobody-\($0)" })
                cluster.node.signal(SIGCONT)
                try await neverFresh(gone, on: view.nodes[0], view)
                #expect(try await figure("truncations", view) > 0)
                let rest = Array(entries.dropFirst(10))
                try await eventually("the rest is shown again") {
                    await view.find(rest).fresh.count == rest.count
                }
                await view.expect(only: rest, of: entries)
                #expect(try await figure("floor_parts", view) > 0)
                try await view.fill(gone)
                await view.expect(only: entries, of: entries)
            }
        }

        /// Asks for entries until the node has settled and afterwards: not once may it call one
        /// fresh.
        private func neverFresh(
            _ entries: [SampleEntry], on node: NodeID, _ view: ClusterView
        ) async throws {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await view.settle()
                    return true
                }
                group.addTask {
                    while !Task.isCancelled {
                        let found = await view.find(entries, at: node)
                        if !found.fresh.isEmpty {
                            throw GaveUp("\(node) serves old values as fresh: \(found)")
                        }
                        await breath()
                    }
                    return false
                }
                _ = try await group.next()
                group.cancelAll()
                while let _ = try? await group.next() {}
            }
            let found = await view.find(entries, at: node)
            #expect(found.missing.count == entries.count, "\(node): \(found)")
        }

        private func figure(_ name: String, _ view: ClusterView) async throws -> UInt64 {
            try #require(try await view.client.cluster.publisherStatus().figures[name])
        }
    }
}
