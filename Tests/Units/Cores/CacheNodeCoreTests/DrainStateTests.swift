import CacheModel
import Testing

@testable import CacheNodeCore

@Suite struct DrainStateTests {
    private static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    /// Whether the node leaves with finished work at each of these times.
    private static func advance(
        _ state: inout DrainState, isPublishing: Bool = false, at times: Int64...
    ) -> [Bool?] {
        times.map {
            state.advance(shardCount: 2, isPublishing: isPublishing, now: at($0))
        }
    }

    @Test func aServingNodeNeverLeaves() {
        var state = DrainState.serving
        state.shardDrained(ShardIndex(0))
        state.shardDrained(ShardIndex(1))
        #expect(state == .serving && state.nextDeadline == nil)
        let leaves = Self.advance(&state, at: 1 << 40)
        #expect(leaves == [nil] && state == .serving)
    }

    @Test func finishedWorkIsFollowedByAPauseWithinTheLimit() {
        var state = DrainState.draining(endsAt: Self.at(1_000), drainedShards: [])
        for _ in 0..<2 { state.shardDrained(ShardIndex(0)) }
        var leaves = Self.advance(&state, at: 0)
        state.shardDrained(ShardIndex(1))
        leaves += Self.advance(&state, isPublishing: true, at: 0)
        #expect(leaves == [nil, nil], "one of two shards; a publish")
        #expect(state.nextDeadline == Self.at(1_000))
        var late = state
        leaves = Self.advance(&state, at: 0)
        #expect(state.nextDeadline == Self.at(100))
        leaves += Self.advance(&state, at: 99, 100)
        #expect(leaves == [nil, nil, true] && state == .left)
        leaves = Self.advance(&late, at: 950)
        #expect(leaves == [nil] && late.nextDeadline == Self.at(1_000))
    }

    /// The next owners of its slots copy its entries.
    @Test func aNodeStaysWhileItGivesEntriesForAMinuteAtMost() {
        var state = DrainState.draining(endsAt: Self.at(1_000), drainedShards: [])
        state.noteGiving(now: Self.at(0))
        for shard in 0..<2 { state.shardDrained(ShardIndex(shard)) }
        var leaves = [
            state.advance(
                shardCount: 2, isPublishing: false, isBySlots: true, now: Self.at(900))
        ]
        #expect(state.nextDeadline == Self.at(3_900))
        for second in Int64(1)...60 {
            state.noteGiving(now: Self.at(second * 1_000))
            leaves += Self.advance(&state, at: second * 1_000 + 500)
        }
        #expect(leaves.allSatisfy { $0 == nil } && state.nextDeadline == Self.at(60_900))
        leaves = Self.advance(&state, at: 60_900)
        state.noteGiving(now: Self.at(60_900))
        #expect(leaves == [true] && state == .left)
    }

    @Test func unfinishedWorkIsGivenUpAtTheLimitAndTheNodeLeavesOnce() {
        var state = DrainState.draining(endsAt: Self.at(1_000), drainedShards: [])
        let leaves = Self.advance(&state, isPublishing: true, at: 1_000, 2_000)
        #expect(leaves == [false, nil])
        #expect(state == .left && state.nextDeadline == nil)
    }
}
