import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// With slots, one run of a node has a lease at a time: docs/decisions/0120.
@Suite struct SlotRunsTests {
    private static let second: UInt64 = 22

    /// Two nodes that share all slots, and a second run of the second one.
    private func twins(hasSlots: Bool = true) throws -> Cluster {
        var cluster = try Cluster.live(nodes: 2, outlivesItsProcess: true) {
            $0.beginsSlots = hasSlots
        }
        for _ in 0..<5 {
            for node: UInt8 in 1...2 { cluster.ack(node, at: cluster.core.log.head) }
            cluster.tick()
        }
        #expect((cluster.core.slots.table?.hasOwners ?? false) == hasSlots)
        try cluster.hello(2, incarnation: Self.second)
        cluster.tick()
        return cluster
    }

    private func lease(_ cluster: inout Cluster, incarnation: UInt64) throws -> UInt32 {
        cluster.forget()
        cluster.sendPing(2, incarnation: incarnation, at: cluster.core.log.head)
        cluster.tick()
        return try cluster.hear(2, .pong) { try Pong(decoding: $0) }.leaseMilliseconds
    }

    /// What the publisher answers to a HELLO of the second run.
    private func greet(_ cluster: inout Cluster) throws -> ErrorReply? {
        cluster.forget()
        try cluster.hello(2, incarnation: Self.second)
        let frames = cluster.hear(2).filter { $0[3] == MessageType.error.rawValue }
        return try frames.first.map { try Cluster.decode($0) { try ErrorReply(decoding: $0) } }
    }

    /// Or clients would ask it in place of the one that answers.
    @Test func aSecondRunIsNotTakenInBeforeTheLeaseOfTheFirstIsOver() throws {
        var cluster = try twins()
        #expect(try lease(&cluster, incarnation: 2) == 3_000)
        let refusal = try #require(try greet(&cluster))
        #expect(refusal.knownCode == .leased && refusal.retryAfterMilliseconds == 3_030)
        #expect(refusal.message.contains("another process of node n2 has a lease"), "\(refusal)")
        cluster.tick(at: cluster.second + 2.9)
        #expect(try greet(&cluster)?.knownCode == .leased)
        cluster.tick(at: cluster.second + 0.2)
        #expect(try greet(&cluster) == nil)
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
    }

    /// Two processes that stay are reported, also while one of them is not taken in.
    @Test func aSecondRunThatGoesOnAskingIsReported() throws {
        var cluster = try twins()
        for _ in 0..<8 {
            #expect(try lease(&cluster, incarnation: 2) == 3_000)
            #expect(try greet(&cluster)?.knownCode == .leased)
            cluster.tick(at: cluster.second + 1)
        }
        #expect(cluster.core.duplicateNodes(at: cluster.now).map(\.name) == ["n2"])
    }

    @Test func aRunThatWasReplacedGetsNoLeaseAgainAndIsToldWhy() throws {
        var cluster = try twins()
        cluster.tick(at: cluster.second + 3.1)
        #expect(try greet(&cluster) == nil)
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
        cluster.forget()
        try cluster.hello(2)
        let refusal = try cluster.error(to: 2)
        #expect(refusal.knownCode == .notRegistered)
        #expect(refusal.message.contains("another process of this node"), "\(refusal.message)")
        cluster.forget()
        cluster.sendPing(2, at: cluster.core.log.head)
        #expect(try cluster.error(to: 2).knownCode == .notRegistered)
    }

    /// Leases that were granted before may overlap.
    @Test func slotsBeginOnceNoNodeHasTwoRunsWithLeases() throws {
        var cluster = try twins(hasSlots: false)
        #expect(try lease(&cluster, incarnation: 2) == 3_000)
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
        var plan = cluster.core.plan
        plan.beginsSlots = true
        cluster.core.configurationChanged(to: plan, now: cluster.now)
        for _ in 0..<4 {
            cluster.tick(at: cluster.second + 0.5)
            let standing = cluster.core.slots.table
            #expect(standing == nil)
        }
        cluster.tick(at: cluster.second + 1.2)
        _ = try cluster.ping(1, at: cluster.core.log.head)
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
        for _ in 0..<3 { cluster.tick(at: cluster.second + 0.1) }
        let begun = cluster.core.slots.table
        #expect(begun != nil)
    }

    /// Before slots, both got leases in turn: it is not known which one replaced the other.
    @Test func ofRunsThatWereGrantedLeasesInTurnNoneIsReplaced() throws {
        let node = try #require(NodeID("n2"))
        let runs = [1, 2].map { NodeRun(node: node, incarnation: Incarnation($0)) }
        var table = RunTable()
        table.note(runs[0]) { _ in true }
        table.note(runs[1]) { _ in true }
        #expect(table.isReplaced(runs[0]) && !table.isReplaced(runs[1]))
        table.note(runs[0]) { _ in true }
        #expect(!table.isReplaced(runs[0]) && !table.isReplaced(runs[1]))
    }

    @Test func aRunThatEndsInOrderIsFollowedAtOnce() throws {
        var cluster = try twins()
        cluster.send(from: 2) { Bye(incarnation: Incarnation(2)).encode(requestID: 0, into: &$0) }
        #expect(try greet(&cluster) == nil)
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
    }

    @Test func withoutSlotsBothRunsHaveALease() throws {
        var cluster = try twins(hasSlots: false)
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
        #expect(try lease(&cluster, incarnation: 2) == 3_000)
    }
}
