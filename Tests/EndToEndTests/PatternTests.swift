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
    /// Keys that are listed and invalidated by a pattern, on three nodes.
    @Suite(.serialized) struct PatternTests {
        private static let pattern = "group-*/*7"

        private func isMatch(_ entry: SampleEntry) -> Bool { entry.key.hasSuffix("7") }

        @Test func whatMatchesIsGoneOnEveryNodeAndTheRestIsThere() async throws {
            for topology in ClusterPlan.Topology.shardedAndReplicated {
                try await withCluster(ClusterPlan(topology)) { cluster in
                    let entries = SampleEntry.many(4_000)
                    try await cluster.view.fill(entries)
                    try await tell(cluster, entries)
                }
            }
        }

        private func tell(_ cluster: Cluster, _ entries: [SampleEntry]) async throws {
            let endpoint = try #require(cluster.ready.publisher.endpoint)
            func run(_ words: String...) async throws -> Program.Ending {
                try await Program.run(words + ["--cluster", endpoint])
            }
            let matches = entries.filter(isMatch)
            let listed = try await run("scan", "--match", Self.pattern, "--keys")
            #expect(Set(listed.output.split(separator: "\n").map(String.init)).count == 400)
            #expect(listed.code == 0 && listed.output.contains("group-3/357\n"), "\(listed)")

            let dry = try await run("invalidate", "pattern", Self.pattern, "--dry-run")
            #expect(dry.code == 0, "\(dry)")
            #expect(dry.output.contains("400 keys matching \(Self.pattern) would be"), "\(dry)")
            await cluster.view.expect(only: entries, of: entries)

            let done = try await run(
                "invalidate", "pattern", Self.pattern, "--rate", "2000/s", "--json")
            #expect(done.code == 0, "\(done)")
            #expect(done.output.contains("\"complete\":true,\"matched\":400,"), "\(done)")
            #expect(done.output.contains("\"invalidated\":400,"), "\(done)")
            let rest = entries.filter { !isMatch($0) }
            await cluster.view.expect(only: rest, of: entries)
            // They may be loaded again.
            try await cluster.view.fill(matches)
            await cluster.view.expect(only: entries, of: entries)
        }

        @Test func aNodeThatIsStoppedMakesTheRunIncompleteAndIsNamed() async throws {
            try await withCluster { cluster in
                let entries = SampleEntry.many(3_000)
                try await cluster.view.fill(entries)
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let victim = cluster.view.nodes[1]
                let lost = try await cluster.owned(by: victim, of: entries)
                let process = try cluster.processID(of: victim)
                try await ProcessTable.stop(process)
                defer { ProcessTable.send(SIGCONT, to: process) }

                let arguments = ["invalidate", "pattern", Self.pattern, "--cluster", endpoint]
                let partly = try await Program.run(arguments + ["--timeout", "1s"])
                #expect(partly.code == 2, "\(partly)")
                #expect(
                    partly.errors.contains("not complete: node \(victim) was not scanned"),
                    "\(partly)")
                let found = entries.filter { isMatch($0) && !lost.contains($0) }
                #expect(
                    partly.output.contains("\(found.count) keys matching \(Self.pattern) inval"),
                    "\(partly)")

                ProcessTable.send(SIGCONT, to: process)
                try await cluster.view.settle()
                await cluster.view.expect(
                    only: entries.filter { !found.contains($0) }, of: entries)
                // Its lease was renewed before it said so.
                try await eventually("the publisher has heard that it is live") {
                    try await cluster.client.cluster.publisherStatus().nodes.allSatisfy {
                        $0.state == .live
                    }
                }
                let again = try await Program.run(arguments)
                #expect(again.code == 0, "\(again)")
                await cluster.view.expect(
                    only: entries.filter { !isMatch($0) }, of: entries)
            }
        }

        @Test func anInterruptedPatternInvalidationStopsBetweenRecordsAndReportsItsProgress()
            async throws
        {
            try await withCluster { cluster in
                let entries = SampleEntry.many(400)
                try await cluster.view.fill(entries)
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let before = try await cluster.view.head()
                let directory = try TemporaryDirectory()
                defer { directory.remove() }
                let running = try RunningProgram(
                    [
                        "invalidate", "pattern", "group*", "--rate", "4/s", "--json", "--cluster",
                        endpoint,
                    ], name: "pattern", in: directory.url)
                defer { running.kill() }
                try await eventually("two records are in the log") {
                    let head = try await cluster.view.head()
                    return head.sequence.rawValue >= before.sequence.rawValue + 2
                }
                running.signal(SIGINT)
                #expect(try await running.ended() == 2)
                let after = try await cluster.view.head()
                let count = after.sequence.rawValue - before.sequence.rawValue
                #expect(
                    running.output.contains("\"invalidated\":\(count),"), "\(running.output)")
                #expect(running.output.contains("\"stopped\":true"), "\(running.output)")
                #expect(running.errors.contains("martlet invalidate prefix group"))
                var missing = 0
                for entry in entries {
                    if try await cluster.client.get(.named(entry.key)) == nil { missing += 1 }
                }
                #expect(missing == Int(count))
            }
        }
    }
}
