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
    /// A publisher whose log is on disk is killed: docs/decisions/0019.
    @Suite(.serialized) struct DurableLogTests {
        private static func plan(respawn: String) -> ClusterPlan {
            var plan = ClusterPlan(.replicated)
            plan.isLogKept = true
            plan.respawn = respawn
            return plan
        }

        /// kill -9 while invalidations are being appended: what was acknowledged is in the log, the
        /// epoch goes on, and no node ever stops calling its entries fresh.
        @Test func aPublisherKilledDuringAppendKeepsItsEpochAndFreshNodes() async throws {
            try await withCluster(Self.plan(respawn: "100ms")) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(100)
                try await view.fill(entries)
                let before = try await view.head()
                let acknowledged = try await Self.invalidateUntilItFails(cluster) {
                    ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                }
                #expect(acknowledged > before)
                try await eventually("the publisher is there again") {
                    for node in view.nodes {
                        let found = await view.find(entries, at: node)
                        #expect(found.fresh.count == entries.count, "\(node): \(found)")
                    }
                    return cluster.up.errors.contains("publisher started again")
                }
                try await view.settle()
                let head = try await view.head()
                #expect(head.epoch == before.epoch && head >= acknowledged)
                await view.expect(only: entries, of: entries)
                let publisher = try await view.client.cluster.publisherStatus()
                #expect(publisher.figures["epochs_opened"] == 0)
                #expect(publisher.figures["histories_continued"] == 0)
                #expect(publisher.figures["truncations"] == 0)
                #expect(publisher.figures["log_tail"] == 1)
                let receipt = try await view.invalidate(.everything)
                #expect(receipt.position == head.next)
                await view.expect(only: [], of: entries)
            }
        }

        /// Invalidates keys that nobody has, many at a time, and strikes in the middle.
        ///
        /// - Returns: the greatest position that was acknowledged.
        private static func invalidateUntilItFails(
            _ cluster: Cluster, strike: @escaping @Sendable () -> Void
        ) async throws -> LogPosition {
            let client = cluster.client
            return await withTaskGroup(of: LogPosition.self) { group in
                for lane in 0..<32 {
                    group.addTask {
                        var last = LogPosition.none
                        for number in 0..<10_000 {
                            let key = CacheKey.named("nobody-\(lane)-\(number)")
                            do {
                                last = try await client.invalidate(
                                    [Scope(.key(key, in: .default))], wait: .none,
                                    timeout: .milliseconds(500)
                                ).position
                            } catch {
                                return last
                            }
                            if lane == 0, number == 20 { strike() }
                        }
                        return last
                    }
                }
                return await group.reduce(.none) { max($0, $1) }
            }
        }

        /// A start reads what decides, not all of a log: it listens long before all of it is known.
        @Test func aPublisherOnALargeLogListensBeforeItHasReadIt() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let log = directory.file("log").path
            try LargeLog.make(in: log)
            // A busy machine may take as long to start a process as a quiet one to read the log,
            // and holds up one start of some: the best of three says what a start waits for.
            var (nothing, large, all) = (Duration.zero, Duration.zero, Duration.zero)
            for _ in 0..<3 where (large - nothing) * 4 >= all - nothing {
                let none = directory.file("none").path
                (nothing, _) = try await Self.start(on: none, in: directory)
                (large, all) = try await Self.start(on: log, in: directory) { publisher in
                    try await eventually("all is read", within: .seconds(200)) {
                        publisher.errors.contains("what the log has touched is known again")
                    }
                }
            }
            #expect((large - nothing) * 4 < all - nothing, "\(nothing), \(large) of \(all)")
        }

        /// A publisher's life on a log: how long after its beginning it listens, and how long
        /// after its beginning `body` has ended.
        private static func start(
            on log: String, in directory: TemporaryDirectory,
            _ body: (RunningProgram) async throws -> Void = { _ in }
        ) async throws -> (listens: Duration, body: Duration) {
            let began = ContinuousClock.now
            let publisher = try RunningProgram(
                ["publisher", "--log", log, "--bind", "tcp://127.0.0.1:0"],
                name: "publisher-\(UUID())", in: directory.url)
            defer { publisher.kill() }
            try await eventually("it listens") { publisher.errors.contains("publisher listens") }
            let listens = ContinuousClock.now - began
            try await body(publisher)
            let all = ContinuousClock.now - began
            // Who has read that it listens may end it.
            publisher.signal(SIGTERM)
            #expect(try await publisher.ended() == 0)
            return (listens, all)
        }

        @Test func nodesStayFreshWhileAPublisherRestartsOnALargeLog() async throws {
            var plan = Self.plan(respawn: "100ms")
            plan.makeLog = { try LargeLog.make(in: $0) }
            plan.lease = "10s"
            try await withCluster(plan) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(50)
                try await view.fill(entries)
                let before = try await view.head()
                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                try await eventually("the publisher answers again") {
                    for node in view.nodes {
                        let found = await view.find(entries, at: node)
                        #expect(found.fresh.count == entries.count, "\(node): \(found)")
                    }
                    return try await view.head() == before
                }
                try await view.settle()
                let figures = try await view.client.cluster.publisherStatus().figures
                #expect(figures["log_segments"] ?? 0 > UInt64(LargeLog.segments))
                #expect(figures["epochs_opened"] == 0 && figures["log_tail"] == 1)
                let receipt = try await view.invalidate(.everything)
                #expect(receipt.position == before.next)
                await view.expect(only: [], of: entries)
            }
        }

        @Test func aLogThatIsGoneBeginsANewEpoch() async throws {
            try await withCluster(Self.plan(respawn: "2s")) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(60)
                try await view.fill(entries)
                let before = try await view.head()
                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                let log = cluster.directory.file("log")
                #expect(FileManager.default.fileExists(atPath: log.path))
                try FileManager.default.removeItem(at: log)
                try await eventually("the publisher is there again") {
                    cluster.up.errors.contains("publisher started again")
                }
                try await view.settle()
                #expect(try await view.head().epoch > before.epoch)
                await view.expect(only: [], of: entries)
                try await view.fill(entries)
                await view.expect(only: entries, of: entries)
            }
        }

        @Test func aSecondPublisherOnALogIsRefused() async throws {
            try await withCluster(Self.plan(respawn: "2s")) { cluster in
                let log = cluster.directory.file("log").path
                let ending = try await Program.run(
                    ["publisher", "--log", log, "--bind", "tcp://127.0.0.1:0"])
                #expect(ending.code == 78)
                #expect(ending.errors.contains("is the log of a publisher that is running"))
            }
        }

        @Test func flagsOfTheLogNeedALog() async throws {
            for flags in [["--new-epoch"], ["--log-sync", "none"]] {
                let ending = try await Program.run(["publisher"] + flags)
                #expect(ending.code == 64)
                #expect(ending.errors.contains("say --log DIRECTORY too"))
            }
        }
    }
}
