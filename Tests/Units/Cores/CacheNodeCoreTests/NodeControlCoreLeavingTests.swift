import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// A node that was ordered to leave, as its control thread sees it.
@Suite struct NodeControlCoreLeavingTests {
    private func drained(_ shards: Int..., in stage: inout ControlStage) -> [NodeControlAction] {
        stage.perform { core, _, _ in
            for shard in shards { core.shardDrained(ShardIndex(shard)) }
        }
    }

    private func drain(_ stage: inout ControlStage) -> [NodeControlAction] {
        stage.perform { core, now, actions in core.drain(now: now, into: &actions) }
    }

    private func publish(_ stage: inout ControlStage) {
        stage.perform { core, now, actions in
            core.publish(
                ShardPublishRequest(
                    shard: ShardIndex(1), ticket: 3, scopes: [Scope(.namespace(.default))],
                    operation: OperationID(high: 1, low: 3)),
                now: now, into: &actions)
        }
    }

    @Test func theShardsAndThePublisherHearOfItAtOnce() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let actions = drain(&stage)
        #expect(actions.contains(.setStanding(stage.core.standing)))
        #expect(stage.core.standing.state == .draining)
        #expect(stage.core.standing.leaseLeft(at: stage.now) > .zero, "the lease goes on")
        #expect(Sent.pings(in: actions).map(\.state) == [.draining])
        #expect(actions.reports == [.draining])
        #expect(drain(&stage).isEmpty, "asking again changes nothing")
    }

    @Test func theLeaseIsRenewedMeanwhile() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let ping = try #require(Sent.pings(in: drain(&stage)).first)
        stage.now = stage.now.advanced(by: .seconds(2))
        stage.pong(to: ping)
        #expect(stage.core.standing.leaseLeft(at: stage.now) == .seconds(1))
        #expect(stage.core.standing.state == .draining)
    }

    @Test func itLeavesOnceEveryShardIsDoneAndAMomentHasPassed() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        _ = drain(&stage)
        #expect(!drained(0, in: &stage).contains(.leave))
        #expect(!drained(1, in: &stage).contains(.leave))
        let deadline = try #require(stage.core.nextDeadline)
        #expect(deadline == stage.now.advanced(by: NodeControlLimits.drainPause))
        let actions = stage.wait(NodeControlLimits.drainPause)
        #expect(actions.contains(.leave))
        #expect(actions.reports == [.drained(isFinished: true)])
        #expect(!stage.wait(.seconds(1)).contains(.leave), "once")
        let farewell = stage.perform { core, now, actions in core.stop(now: now, into: &actions) }
        #expect(Sent.types(in: farewell) == [.bye])
    }

    @Test func whatIsBeingPublishedIsWaitedFor() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        publish(&stage)
        _ = drain(&stage)
        _ = drained(0, 1, in: &stage)
        #expect(!stage.wait(.seconds(1)).contains(.leave))
        // The publisher does not answer in time, and the shard is told so.
        #expect(!stage.wait(.seconds(1)).contains(.leave))
        #expect(stage.wait(NodeControlLimits.drainPause).contains(.leave))
    }

    @Test func whatTakesTooLongIsGivenUp() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        _ = drain(&stage)
        _ = drained(0, in: &stage)
        let almost = NodeControlLimits.drainPatience - .milliseconds(1)
        #expect(!stage.wait(almost).contains(.leave))
        let actions = stage.wait(.milliseconds(1))
        #expect(actions.contains(.leave))
        #expect(actions.reports.contains(.drained(isFinished: false)))
    }

    @Test func aNodeThatNeverHeardItsPublisherLeavesToo() throws {
        var stage = try ControlStage()
        _ = drain(&stage)
        _ = drained(0, 1, in: &stage)
        #expect(stage.wait(NodeControlLimits.drainPause).contains(.leave))
    }
}
