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

    /// The lease of the first run, renewed at 10 seconds, counts until a little after 13.
    @Test func aSecondRunGetsALeaseOnceThatOfTheFirstIsOver() throws {
        var cluster = try twins()
        #expect(try lease(&cluster, incarnation: 2) == 3_000)
        #expect(try lease(&cluster, incarnation: Self.second) == 0)
        #expect(try lease(&cluster, incarnation: 2) == 3_000, "the first one goes on")
        cluster.tick(at: cluster.second + 2.9)
        #expect(try lease(&cluster, incarnation: Self.second) == 0)
        cluster.tick(at: cluster.second + 0.2)
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
    }

    @Test func aRunThatWasReplacedGetsNoLeaseAgainAndIsToldWhy() throws {
        var cluster = try twins()
        cluster.tick(at: cluster.second + 3.1)
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
        cluster.tick(at: cluster.second + 3.1)
        cluster.forget()
        cluster.sendPing(2, at: cluster.core.log.head)
        let unknown = try cluster.error(to: 2)
        #expect(unknown.knownCode == .notRegistered)
        cluster.forget()
        try cluster.hello(2)
        let refusal = try cluster.error(to: 2)
        #expect(refusal.knownCode == .notRegistered)
        #expect(refusal.message.contains("another process of this node"), "\(refusal.message)")
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
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
    }

    @Test func withoutSlotsBothRunsHaveALease() throws {
        var cluster = try twins(hasSlots: false)
        #expect(try lease(&cluster, incarnation: Self.second) == 3_000)
        #expect(try lease(&cluster, incarnation: 2) == 3_000)
    }
}
