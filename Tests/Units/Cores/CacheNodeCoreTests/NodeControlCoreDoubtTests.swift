import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Why a node is not live.
@Suite struct NodeControlCoreDoubtTests {
    private func reason(_ stage: ControlStage) -> StandingReason? {
        stage.core.standing.doubt?.reason
    }

    @Test func aNodeReportsThatItHasNotHeardAPublisher() throws {
        var stage = try ControlStage()
        #expect(reason(stage) == .publisherUnheard)
        let start = stage.now
        stage.wait(.seconds(9))
        stage.perform { _, _, _ in }
        let doubt = try #require(stage.core.standing.doubt)
        #expect(doubt.reason == .publisherUnheard && doubt.since == start)
        #expect(doubt.answeredAt == nil && doubt.heartbeatAt == nil)
    }

    @Test func onTheWayToALeaseItSaysWhatItWaitsFor() throws {
        var stage = try ControlStage()
        try stage.append(5)
        stage.heartbeat()
        #expect(reason(stage) == .publisherSilent, "it is heard, and has not answered")
        #expect(stage.core.standing.doubt?.answeredAt == nil)
        #expect(stage.core.standing.doubt?.heartbeatAt == stage.now)
        let ping = try #require(Sent.pings(in: stage.welcome()).first)
        #expect(reason(stage) == .noConfiguration)
        stage.configuration()
        #expect(reason(stage) == .leaseAwaited)
        stage.pong(to: ping, lease: 0)
        #expect(reason(stage) == .leaseWithheld)
        let again = try #require(Sent.pings(in: stage.wait(.seconds(1))).first)
        stage.pong(to: again)
        #expect(stage.core.standing.state == .live && reason(stage) == nil)
    }

    @Test func aSilentPublisherIsReportedWithItsLastMessageTimes() throws {
        var stage = try ControlStage()
        try stage.append(2)
        try stage.becomeLive()
        let heardAt = stage.now
        for _ in 0..<40 {
            stage.wait(.milliseconds(100))
            stage.perform { _, _, _ in }
        }
        let doubt = try #require(stage.core.standing.doubt)
        #expect(stage.core.standing.state == .suspect && doubt.reason == .publisherSilent)
        #expect(doubt.answeredAt == heardAt && doubt.heartbeatAt == heardAt)
        #expect(doubt.since == heardAt.advanced(by: .seconds(3)), "when the lease ended")
    }

    @Test func aGapIsBeingReplayed() throws {
        var stage = try ControlStage()
        try stage.append(2)
        try stage.becomeLive()
        try stage.append(9)
        stage.heartbeat()
        #expect(stage.core.standing.state == .catchingUp && reason(stage) == .replaying)
        stage.live(3...11)
        #expect(stage.core.standing.state == .live && reason(stage) == nil)
    }

    @Test func anotherDigestIsADivergence() throws {
        var stage = try ControlStage()
        try stage.append(2)
        try stage.becomeLive()
        let contradiction = Heartbeat(
            log: ControlStage.log,
            head: LogMark(position: stage.head.position, digest: LogDigest(666)),
            versions: stage.versions)
        stage.live { contradiction.encode(into: &$0) }
        #expect(stage.core.standing.state == .suspect && reason(stage) == .diverged)
    }

    @Test func aDrainingNodeReportsDrainingAsItsReason() throws {
        var stage = try ControlStage()
        try stage.append(1)
        try stage.becomeLive()
        stage.perform { core, now, actions in core.drain(now: now, into: &actions) }
        #expect(stage.core.standing.state == .draining && reason(stage) == .draining)
    }
}
