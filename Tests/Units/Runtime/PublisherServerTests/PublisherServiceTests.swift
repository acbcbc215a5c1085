import ByteCoding
import CacheInvalidation
import CacheMetrics
import CacheModel
import CacheWire
import Foundation
import Storage
import Logging
import PublisherCore
import PublisherServer
import Testing
import TestSupport
import Threading
import ZeroMQ

@Suite(.serialized) struct PublisherServiceTests {
    private let context: Context

    init() throws {
        context = try Context()
    }

    /// Serves on ports that the system chooses, and stops whatever `body` does.
    private func serve(
        nodes: Int, at endpoints: PublisherEndpoints? = nil, log: LogFilesOptions? = nil,
        change: (inout PublisherPlan) -> Void = { _ in },
        _ body: (PublisherService, PublisherEndpoints) throws -> Void
    ) throws {
        var plan = PublisherPlan(
            nodes: try (1...nodes).map {
                .init(id: try #require(NodeID("n\($0)")), shards: 1)
            })
        change(&plan)
        var options = PublisherOptions(
            control: try endpoints?.control ?? Endpoint("tcp://127.0.0.1:0"), plan: plan)
        options.live = endpoints?.live
        options.log = log
        let service = PublisherService(options: options, logger: Self.silent)
        let bound = try service.start()
        defer { service.stop() }
        try body(service, bound)
    }

    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Nodes that follow the log and hold a lease.
    private func join(
        _ count: Int, _ endpoints: PublisherEndpoints
    ) throws -> [FakeNode] {
        let nodes = try (1...count).map {
            try FakeNode(context, endpoints, id: "n\($0)", incarnation: UInt64($0))
        }
        var looks = 0
        try drive("every node is leased", until: { nodes.allSatisfy(\.isLeased) }) {
            for node in nodes {
                try node.turn()
                // Said anew now and then: the first may be lost before the connection stands.
                if looks % 50 == 0 { node.welcomes == 0 ? try node.hello() : try node.ping() }
            }
            looks += 1
        }
        return nodes
    }

    @Test func aReceiptListsEveryNodeAsApplied() throws {
        try serve(nodes: 3) { _, endpoints in
            let nodes = try join(3, endpoints)
            let asker = try Asker(context, endpoints)
            for wait in WaitMode.allCases {
                try asker.invalidate(wait)
                let receipt = try asker.receipt { for node in nodes { try node.turn() } }
                #expect(receipt.isComplete && receipt.wait == wait)
                #expect(wait != .all || receipt.applied.map(\.node.name) == ["n1", "n2", "n3"])
            }
            try drive("all follow", until: { nodes.allSatisfy { $0.records.count == 3 } }) {
                for node in nodes { try node.turn() }
            }
            #expect(nodes.allSatisfy { $0.truncations == 0 })
        }
    }

    @Test func aStoppedNodeIsPendingAndThenExpired() throws {
        let short: (inout PublisherPlan) -> Void = { $0.lease = .milliseconds(1_500) }
        try serve(nodes: 2, change: short) { _, endpoints in
            let nodes = try join(2, endpoints)
            let asker = try Asker(context, endpoints)
            nodes[1].isStopped = true
            try asker.invalidate(.all, timeout: 100)
            let early = try asker.receipt { try nodes[0].turn() }
            #expect(!early.isComplete && early.pending.map(\.name) == ["n2"])
            #expect(early.applied.map(\.node.name) == ["n1"])
            try asker.invalidate(.all)
            let late = try asker.receipt { try nodes[0].turn() }
            #expect(late.isComplete && late.expired.map(\.node.name) == ["n2"])
            // It wakes up and catches up by replay or what lay in its queue.
            nodes[1].isStopped = false
            try drive("it catches up", until: { nodes[1].records.count == 2 }) {
                try nodes[1].turn()
            }
        }
    }

    @Test func aRecordLostAtTheVeryEndIsFoundByTheHeartbeat() throws {
        try serve(nodes: 1) { _, endpoints in
            let node = try join(1, endpoints)[0]
            let asker = try Asker(context, endpoints)
            node.losesRecords = true
            try asker.invalidate(.none)
            #expect(try asker.receipt().isComplete)
            // Nothing else is ever sent: only a heartbeat can tell.
            try drive("the loss is found", until: { node.records.count == 1 }) { try node.turn() }
        }
    }

    @Test func aNodeThatMissedTenThousandRecordsCatchesUp() throws {
        try serve(nodes: 1) { _, endpoints in
            let node = try join(1, endpoints)[0]
            let asker = try Asker(context, endpoints)
            node.losesRecords = true
            var answered = 0
            for _ in 0..<100 {
                try asker.invalidate(.none, count: 100)
                answered += try asker.awaitReplies(100).count
            }
            #expect(answered == 10_000)
            try drive("it has all", until: { node.records.count == 10_000 }) { try node.turn() }
            #expect(node.applied == node.heartbeats.last?.head && node.truncations == 0)
        }
    }

    @Test func aPublisherThatCannotWriteItsLogIsNotReady() throws {
        let directory = try TemporaryDirectory("log")
        defer { directory.remove() }
        let isFull = Guarded(false)
        var log = LogFilesOptions(
            directory: directory.path("log"),
            retention: LogRetention(recordsMax: 1_000, bytesMax: 1 << 20))
        log.probeInterval = .milliseconds(20)
        log.faults = LogFaults { step in step == .reserve && isFull.withLock { $0 } ? ENOSPC : 0 }
        try serve(nodes: 1, log: log) { _, endpoints in _ = try join(1, endpoints) }
        isFull.withLock { $0 = true }
        try serve(nodes: 1, log: log) { service, endpoints in
            let node = try join(1, endpoints)[0]
            let readiness = Guarded<Readiness?>(nil)
            func look() throws {
                try node.turn()
                service.takeReport { report in readiness.withLock { $0 = report.readiness } }
            }
            try drive(
                "it is not ready",
                until: {
                    guard case .unready(let reason)? = readiness.withLock({ $0 }) else {
                        return false
                    }
                    return reason.contains("refuses invalidations")
                }, look)
            isFull.withLock { $0 = false }
            try drive("it is ready", until: { readiness.withLock { $0 } == .ready }, look)
        }
    }

    @Test func aNewSubscriberReceivesTheHeadAtOnce() throws {
        let rare: (inout PublisherPlan) -> Void = { $0.heartbeat = .seconds(3_600) }
        try serve(nodes: 2, change: rare) { _, endpoints in
            _ = try join(2, endpoints)
            // The topic is not new to the socket; the subscriber is.
            let late = try FakeNode(context, endpoints, id: "n2", incarnation: 9)
            try drive("a heartbeat", until: { !late.heartbeats.isEmpty }) { try late.turn() }
        }
    }

    @Test func aRestartedPublisherContinuesAndNothingIsHidden() throws {
        var nodes: [FakeNode] = []
        var old: PublisherEndpoints?
        try serve(nodes: 2) { _, endpoints in
            nodes = try join(2, endpoints)
            let asker = try Asker(context, endpoints)
            try asker.invalidate(.all)
            _ = try asker.receipt { for node in nodes { try node.turn() } }
            old = endpoints
        }
        let log = nodes[0].log
        let head = nodes[0].applied
        try serve(nodes: 2, at: old) { _, endpoints in
            #expect(endpoints == old)
            let before = nodes.map(\.welcomes)
            var looks = 0
            let isBack = { zip(nodes, before).allSatisfy { $0.welcomes > $1 } }
            try drive("the nodes are back", until: isBack) {
                for node in nodes {
                    try node.turn()
                    if looks % 100 == 0 { try node.ping() }
                }
                looks += 1
            }
            #expect(nodes.allSatisfy { $0.strangerErrors > 0 })
            #expect(nodes.allSatisfy { $0.log == log && $0.applied == head })
            let asker = try Asker(context, endpoints)
            try asker.invalidate(.all)
            let receipt = try asker.receipt { for node in nodes { try node.turn() } }
            #expect(receipt.isComplete && receipt.applied.count == 2)
            #expect(receipt.position == head.position.next)
            #expect(nodes.allSatisfy { $0.truncations == 0 && $0.records.count == 2 })
        }
    }

    @Test func aRestartedPublisherKnowsWhichRunHadALeaseLast() throws {
        let directory = try TemporaryDirectory("log")
        let log = LogFilesOptions(
            directory: directory.path("log"),
            retention: LogRetention(recordsMax: 1_000, bytesMax: 1 << 20))
        try serve(nodes: 1, log: log) { _, endpoints in
            let node = try join(1, endpoints)[0]
            #expect(node.previousRun == .none)
        }
        try serve(nodes: 1, log: log) { _, endpoints in
            let node = try FakeNode(context, endpoints, id: "n1", incarnation: 2)
            var looks = 0
            try drive("a welcome", until: { node.welcomes > 0 }) {
                try node.turn()
                if looks % 50 == 0 { try node.hello() }
                looks += 1
            }
            #expect(node.previousRun == Incarnation(1))
        }
    }

    @Test func stoppingAnswersAWaitingInvalidationWithAnIncompleteReceipt() throws {
        try serve(nodes: 1) { service, endpoints in
            let nodes = try join(1, endpoints)
            let asker = try Asker(context, endpoints)
            nodes[0].isStopped = true
            try asker.invalidate(.all)
            // The answer to a second request proves that the first was taken.
            try asker.ask(.status)
            _ = try asker.awaitReplies()
            Thread.detachNewThread { service.stop() }
            let receipt = try asker.receipt()
            #expect(!receipt.isComplete && receipt.pending.map(\.name) == ["n1"])
            #expect(service.waitUntilStopped() == nil)
            service.stop()
        }
    }

    @Test func aReloadReachesEverybodyByTheHeartbeat() throws {
        try serve(nodes: 1) { service, endpoints in
            let node = try join(1, endpoints)[0]
            var plan = PublisherPlan(nodes: [.init(id: node.id, shards: 1)])
            plan.configuration = ConfigReport(revision: 99, text: "new")
            service.reload(plan)
            let isThere = { node.heartbeats.contains { $0.versions.configRevision == 99 } }
            try drive("the revision", until: isThere) { try node.turn() }
            let asker = try Asker(context, endpoints)
            try asker.ask(.topology)
            let frame = try #require(try asker.awaitReplies().first)
            let report = try frame.withUnsafeBytes {
                try TopologyReport(decoding: try MessageView(decoding: $0))
            }
            #expect(report.controlEndpoint == endpoints.control.description)
            #expect(report.liveEndpoint == endpoints.live.description)
        }
    }
}

extension FakeNode {
    var isLeased: Bool { pongs.last.map { $0.leaseMilliseconds > 0 } ?? false }
}
