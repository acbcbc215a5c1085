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
    /// Invalidations that take their time: docs/decisions/0032.
    @Suite(.serialized) struct PacingTests {
        private static var durable: ClusterPlan {
            var plan = ClusterPlan()
            plan.isLogKept = true
            plan.respawn = "100ms"
            return plan
        }

        @Test func aPacedInvalidationHidesEntriesGraduallyAndItsReceiptIsComplete() async throws {
            try await withCluster { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(400)
                try await view.fill(entries)
                let arguments = ["invalidate", "all", "--yes", "--over", "4s"]
                let order = Task { try await Self.run(arguments, cluster) }
                try await eventually("some are hidden and others are not") {
                    let fresh = try await Self.freshCount(entries, view)
                    return fresh > 50 && fresh < 350
                }
                let ending = try await order.value
                #expect(ending.code == 0, "\(ending)")
                let report = try JSONDecoder().decode(Report.self, from: Data(ending.output.utf8))
                #expect(report.complete && report.applied.count == 3)
                #expect(report.pacing.state == "over" && report.pacing.slices == 32)
                await view.expect(only: [], of: entries)
            }
        }

        /// kill -9 in the middle: the order is on the disk, and the next publisher goes on.
        @Test func aKilledPublisherGoesOnWhereItWas() async throws {
            try await withCluster(Self.durable) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(400)
                try await view.fill(entries)
                let begun = try await view.client.invalidate(
                    [Scope(.everything)], over: .seconds(8))
                #expect(begun.isDurable)
                try await eventually("a quarter is hidden") {
                    try await view.client.cluster.pacedInvalidations().first?.share ?? 0 > 0.25
                }
                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                try await eventually("the publisher is there again, and so is the order") {
                    guard cluster.up.errors.contains("publisher started again") else {
                        return false
                    }
                    let again = try await view.client.cluster.pacedInvalidations(
                        timeout: .seconds(2))
                    return again.first?.id == begun.id && again.first?.span == begun.span
                }
                let last = try await Self.end(of: begun.id, view)
                let receipt = try await view.client.receipt(of: last)
                #expect(receipt.isComplete && receipt.applied.count == 3, "\(receipt)")
                await view.expect(only: [], of: entries)
                // What was in the log is not said twice, but for the one that was on its way.
                let records = last.sequence.rawValue
                #expect(records >= 64 && records <= 65, "\(records) slices")
            }
        }

        @Test func aCancelledOneHidesNoMoreAlsoAfterARestart() async throws {
            try await withCluster(Self.durable) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(400)
                try await view.fill(entries)
                let begun = try await view.client.invalidate(
                    [Scope(.everything)], over: .seconds(60))
                try await eventually("it has begun") {
                    try await Self.freshCount(entries, view) < entries.count
                }
                let number = begun.id.description
                let ending = try await Self.run(["pacing", "cancel", number], cluster)
                #expect(ending.code == 0 && ending.output.contains("cancelled"), "\(ending)")
                let head = try await view.head()
                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                try await eventually("the publisher is there again") {
                    guard cluster.up.errors.contains("publisher started again") else {
                        return false
                    }
                    return try await view.client.cluster.publisherStatus(timeout: .seconds(2))
                        .figures["pacings"] == 0
                }
                #expect(try await view.head() == head)
                let fresh = try await Self.freshCount(entries, view)
                #expect(fresh > 300)
            }
        }

        @Test func interruptingAPacedInvalidationReportsThatThePublisherContinues() async throws {
            try await withCluster { cluster in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let watching = try RunningProgram(
                    ["invalidate", "all", "--yes", "--over", "60s", "--cluster", endpoint],
                    name: "watch", in: cluster.directory.url)
                defer { watching.kill() }
                try await eventually("it has begun") {
                    try await cluster.client.cluster.pacedInvalidations().first?.doneCount ?? 0 > 0
                }
                watching.signal(SIGINT)
                #expect(try await watching.ended() == 2)
                #expect(watching.errors.contains("the publisher continues to hide"))
                let still = try await cluster.client.cluster.pacedInvalidations().first
                #expect(still?.state == .running)
            }
        }

        @Test func wrongOrdersAreAnsweredClearly() async throws {
            try await withCluster { cluster in
                for (arguments, code, words) in [
                    (["invalidate", "key", "a", "--over", "5s"], 64, "a key is hidden at once"),
                    (["invalidate", "all", "--over", "10ms"], 64, "too short"),
                    (["invalidate", "all", "--over", "30d"], 64, "too long"),
                    (["pacing", "cancel", "7"], 4, "no paced invalidation of number 7"),
                    (["pacing", "cancel", "x"], 64, "known by a number"),
                ] as [([String], Int32, String)] {
                    let ending = try await Self.run(arguments, cluster)
                    #expect(ending.code == code && ending.errors.contains(words), "\(ending)")
                }
                let listing = try await Self.run(["pacing"], cluster)
                #expect(listing.output.contains(#"{"pacings":[]}"#), "\(listing)")
            }
        }

        // MARK: Help

        private struct Report: Decodable {
            struct Line: Decodable { var node: String }
            struct Pacing: Decodable {
                var state: String
                var slices: Int
            }
            var complete: Bool
            var applied: [Line]
            var pacing: Pacing
        }

        private static func run(
            _ arguments: [String], _ cluster: Cluster
        ) async throws -> Program.Ending {
            let endpoint = try #require(cluster.ready.publisher.endpoint)
            return try await Program.run(arguments + ["--cluster", endpoint, "--json"])
        }

        private static func freshCount(
            _ entries: [SampleEntry], _ view: ClusterView
        ) async throws -> Int {
            let keys = entries.map { CacheKey.named($0.key) }
            return try await view.client.get(keys).filter { $0 != nil }.count
        }

        /// Waits until it is over.
        ///
        /// - Returns: where its last slice stands.
        private static func end(
            of id: PacingID, _ view: ClusterView
        ) async throws -> LogPosition {
            var last: LogPosition?
            try await eventually("it is over") {
                let found = try await view.client.cluster.pacedInvalidations().last { $0.id == id }
                if found?.state == .over { last = found?.last }
                return last != nil
            }
            return try #require(last)
        }
    }
}
