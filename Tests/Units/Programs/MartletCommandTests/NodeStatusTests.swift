import CacheModel
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct NodeStatusTests {
    private func shard(
        _ state: NodeState, at position: LogPosition, _ figures: [String: UInt64] = [:]
    ) -> StatusSnapshot {
        StatusSnapshot(
            role: .shard, state: state, name: "n1", position: position, digest: LogDigest(1),
            figures: figures, nodes: [])
    }

    @Test func aNodeSumsItsShardsAndReportsTheWorstState() throws {
        let status = NodeStatus(
            try Sample.node("n1"),
            shards: [
                shard(
                    .live, at: Sample.position(20),
                    ["hits": 6, "stale_hits": 1, "misses": 1, "lease_left_ms": 900, "shard": 0]),
                shard(
                    .catchingUp, at: Sample.position(17),
                    ["hits": 2, "stale_hits": 0, "misses": 2, "lease_left_ms": 400, "shard": 1]),
            ])
        #expect(status.state == .catchingUp)
        #expect(status.applied == Sample.position(17))
        #expect(status.lag(behind: Sample.position(20)) == 3)
        #expect(status.leaseLeft == .milliseconds(400))
        #expect(status.sum("hits") == 8)
        #expect(status.sum("entries") == nil)
        #expect(status.hitRatio == 0.75)
        #expect(status.figures.map(\.name) == ["hits", "misses", "stale_hits"])
    }

    @Test func withoutLookupsThereIsNoRatio() throws {
        let quiet = shard(.live, at: .none, ["hits": 0, "stale_hits": 0, "misses": 0])
        #expect(NodeStatus(try Sample.node("n1"), shards: [quiet]).hitRatio == nil)
    }

    @Test func countsThatNoNodeCanHaveAreNoTrap() throws {
        let liar = shard(
            .live, at: .none, ["hits": .max, "stale_hits": .max, "misses": .max])
        #expect(NodeStatus(try Sample.node("n1"), shards: [liar, liar]).hitRatio != nil)
        #expect(NodeStatus(try Sample.node("n1"), shards: [liar]).hitRatio == 2.0 / 3)
    }

    @Test func lagIsCountedWithinAnEpochOnlyAndNeverNegative() throws {
        let node = try Sample.node("n1")
        let status = NodeStatus(node, shards: [shard(.live, at: Sample.position(5))])
        #expect(status.lag(behind: Sample.position(4)) == 0)
        #expect(status.lag(behind: Sample.position(5)) == 0)
        #expect(status.lag(behind: Sample.position(9, epoch: 2)) == nil)
        #expect(status.lag(behind: nil) == nil)
    }

    @Test func ofANodeThatDoesNotAnswerThePublisherTellsTheRest() throws {
        let node = try Sample.node("n1")
        let line = StatusSnapshot.NodeLine(
            node: node, state: .live, applied: Sample.position(9), incarnation: Incarnation(7),
            grantLeft: .seconds(2))
        let status = NodeStatus(node, failure: CacheError(.timedOut, ""), line: line)
        #expect(!status.isReachable)
        #expect(status.state == nil)
        #expect(status.applied == Sample.position(9))
        #expect(status.leaseLeft == .seconds(2))
        var unheard = line
        unheard.incarnation = .none
        #expect(
            NodeStatus(node, failure: CacheError(.timedOut, ""), line: unheard).applied == nil)
    }
}
