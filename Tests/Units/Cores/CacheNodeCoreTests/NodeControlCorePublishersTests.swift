import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// A node that knows two publishers, `a` and `b`, of which one leads.
@Suite struct NodeControlCorePublishersTests {
    private static let a = "tcp://a:1"
    private static let b = "tcp://b:1"
    private static let liveOfA = "tcp://a:2"
    private static let liveOfB = "tcp://b:2"

    private func stage(
        _ names: [String] = [a, b], resuming: LogResumption? = nil
    ) throws -> ControlStage {
        try ControlStage(
            resuming: resuming, publishers: names.map { PublisherAddress(control: $0) })
    }

    /// It is joined to `a`, and live.
    private func liveStage(records: Int = 3) throws -> ControlStage {
        var stage = try stage()
        try stage.append(records)
        stage.start()
        let ping = try #require(Sent.pings(in: stage.welcome(live: Self.liveOfA)).first)
        stage.configuration()
        topology(&stage)
        stage.heartbeat()
        stage.pong(to: ping)
        #expect(stage.core.standing.state == .live)
        return stage
    }

    private func topology(_ stage: inout ControlStage) {
        let topology = TopologyReport(
            version: stage.versions.topologyVersion, kind: .sharded, controlEndpoint: "",
            liveEndpoint: "", nodes: [])
        stage.answer { topology.encode(requestID: $0, into: &$1) }
    }

    @discardableResult
    private func notLeader(
        _ leader: String = "", to requestID: UInt64? = nil, on stage: inout ControlStage
    ) -> [NodeControlAction] {
        let id = requestID ?? stage.answeredID
        return stage.control {
            NotLeader(controlEndpoint: leader, name: "").encode(requestID: id, into: &$0)
        }
    }

    private func farewell(_ stage: inout ControlStage) -> [NodeControlAction] {
        stage.live { Heartbeat.farewell.encode(into: &$0) }
    }

    /// `a` gives up, and `b` is greeted.
    @discardableResult
    private func leaveA(_ stage: inout ControlStage) throws -> [NodeControlAction] {
        let actions = farewell(&stage)
        stage.answeredID = try #require(Sent.of(.hello, in: actions).first).requestID
        return actions
    }

    private func connections(_ actions: [NodeControlAction]) -> [String] {
        actions.compactMap {
            if case .connectControl(let endpoint) = $0 { endpoint } else { nil }
        }
    }

    // MARK: - The start

    @Test func theFirstIsGreetedAtOnceAndFollowedWhereItsWelcomeSays() throws {
        var stage = try stage()
        try stage.append(2)
        let started = stage.start()
        #expect(Sent.types(in: started) == [.hello])
        #expect(connections(started).isEmpty, "the connection to the first one exists")
        let welcomed = stage.welcome(live: Self.liveOfA)
        #expect(welcomed.contains(.subscribe(live: Self.liveOfA)))
        #expect(welcomed.reports.contains(.publisherLeads(endpoint: Self.a)))
        #expect(Sent.types(in: welcomed) == [.config, .topology, .ping, .ack])
    }

    @Test func beforeAWelcomeThereIsNoSubscriptionToRenew() throws {
        var stage = try stage()
        stage.start()
        for _ in 0..<100 {
            let deadline = try #require(stage.core.nextDeadline)
            #expect(deadline > stage.now, "a deadline that has passed would spin")
            let actions = stage.wait(deadline.elapsed(since: stage.now))
            #expect(!actions.contains(.resubscribe))
        }
    }

    @Test func theOnlyOneThatIsKnownNamesTheOthers() throws {
        var stage = try ControlStage(
            resuming: nil,
            publishers: [PublisherAddress(control: Self.a, live: Self.liveOfA)])
        #expect(Sent.all(in: stage.start()).isEmpty, "it is listened for")
        let hello = try #require(Sent.of(.hello, in: stage.wait(.milliseconds(500))).first)
        let actions = notLeader(Self.b, to: hello.requestID, on: &stage)
        #expect(connections(actions) == [Self.b])
        stage.answeredID = try #require(Sent.of(.hello, in: actions).first).requestID
        #expect(stage.welcome(live: Self.liveOfB).contains(.subscribe(live: Self.liveOfB)))
    }

    @Test func aFarewellOfTheOnlyOneChangesNothing() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        #expect(farewell(&stage).isEmpty)
    }

    // MARK: - Leaving a publisher

    @Test(arguments: [b, "tcp://elsewhere:9"])
    func theNamedLeaderIsGreetedAtOnce(name: String) throws {
        var stage = try liveStage()
        let ping = try #require(Sent.of(.ping, in: stage.wait(.seconds(1))).first)
        let actions = notLeader(name, to: ping.requestID, on: &stage)
        #expect(connections(actions) == [name])
        #expect(Sent.types(in: actions) == [.hello])
        let connected = try #require(
            actions.firstIndex(of: .connectControl(endpoint: name)))
        let sent = try #require(
            actions.firstIndex { if case .sendControl = $0 { true } else { false } })
        #expect(connected < sent)
    }

    @Test(arguments: ["", a])
    func withoutALeaderTheNextIsGreetedAfterAPause(name: String) throws {
        var stage = try stage()
        stage.start()
        #expect(connections(notLeader(name, on: &stage)).isEmpty)
        #expect(connections(stage.wait(.milliseconds(90))).isEmpty)
        let actions = stage.wait(.milliseconds(35))
        #expect(connections(actions) == [Self.b])
        #expect(Sent.types(in: actions) == [.hello])
    }

    @Test func anEndpointThatCannotBeConnectedToIsLeftAndReportedOnce() throws {
        var stage = try stage()
        stage.start()
        var reports: [NodeControlReport] = []
        for _ in 0..<3 {
            stage.answeredID = 1 << 40
            #expect(connections(notLeader("nonsense", on: &stage)) == ["nonsense"])
            let refused = stage.perform { core, now, actions in
                core.cannotConnect(
                    to: "nonsense", because: "no transport", now: now, into: &actions)
            }
            #expect(connections(refused).isEmpty, "an error must not be repeated without a pause")
            reports += refused.reports
            #expect(connections(stage.wait(.milliseconds(400))).count == 1)
        }
        #expect(
            reports == [.publisherUnusable(endpoint: "nonsense", reason: "no transport")])
        let late = stage.perform { core, now, actions in
            core.cannotConnect(to: "nonsense", because: "late", now: now, into: &actions)
        }
        #expect(late.isEmpty, "it is not addressed any more")
    }

    @Test func aFarewellLeadsToTheNextAtOnce() throws {
        var stage = try liveStage()
        let actions = try leaveA(&stage)
        #expect(connections(actions) == [Self.b])
        #expect(
            actions.reports == [.publisherDoesNotLead(endpoint: Self.a, leader: "")])
    }

    @Test func aHelloWithoutAnAnswerLeadsToTheNext() throws {
        var stage = try stage()
        stage.start()
        #expect(connections(stage.wait(.milliseconds(249))).isEmpty)
        #expect(connections(stage.wait(.milliseconds(1))) == [Self.b])
        #expect(connections(stage.wait(.milliseconds(250))) == [Self.a])
    }

    @Test func silenceOnBothChannelsForThreeHeartbeatsLeadsToTheNext() throws {
        var stage = try liveStage()
        let beganAt = stage.now
        var changedAt: Instant?
        var pingedAt: Instant?
        while changedAt == nil, stage.now < beganAt.advanced(by: .seconds(3)) {
            let deadline = try #require(stage.core.nextDeadline)
            let actions = stage.wait(deadline.elapsed(since: stage.now))
            if !Sent.pings(in: actions).isEmpty { pingedAt = stage.now }
            guard !connections(actions).isEmpty else { continue }
            changedAt = stage.now
            #expect(actions.reports == [.lostPublisher(silence: .milliseconds(1_500))])
        }
        #expect(changedAt == beganAt.advanced(by: .milliseconds(1_500)))
        #expect(
            pingedAt == beganAt.advanced(by: .milliseconds(1_000)),
            "it was asked before it was left")
        #expect(stage.core.standing.state == .live, "the lease runs on")
    }

    /// With a long lease few PINGs are due; without one more, silence would prove nothing.
    @Test func aPublisherThatAnswersIsKeptWhenOnlyItsHeartbeatsAreMissing() throws {
        var stage = try stage()
        stage.start()
        var message = Welcome(
            log: stage.logID, head: stage.head, tail: SequenceNumber(1),
            leaseMilliseconds: 30_000, heartbeatMilliseconds: 500, versions: stage.versions,
            liveEndpoint: Self.liveOfA)
        message.previousRun = .none
        let welcome = message
        let welcomed = stage.control { welcome.encode(requestID: 1, into: &$0) }
        stage.configuration()
        topology(&stage)
        for ping in Sent.pings(in: welcomed) { stage.pong(to: ping, lease: 30_000) }
        var pingCount = 0
        var isRenewed = false
        for _ in 0..<100 {
            let actions = stage.wait(.milliseconds(100))
            #expect(connections(actions).isEmpty)
            isRenewed = isRenewed || actions.contains(.resubscribe)
            for ping in Sent.pings(in: actions) {
                pingCount += 1
                stage.pong(to: ping, lease: 30_000)
            }
        }
        #expect((5...10).contains(pingCount), "once for each silence: \(pingCount)")
        #expect(isRenewed, "its live channel is")
    }

    /// As it does with one publisher; a shard that is slow to apply has nothing to PING with.
    @Test func aPublisherThatOnlySendsHeartbeatsIsGreetedAgainAndThenLeft() throws {
        var stage = try liveStage()
        var actions: [NodeControlAction] = []
        for _ in 0..<30 {
            actions = stage.wait(.milliseconds(100))
            #expect(connections(actions).isEmpty)
            stage.heartbeat()
        }
        #expect(Sent.types(in: actions) == [.hello])
        #expect(connections(stage.wait(.milliseconds(250))) == [Self.b])
    }

    @Test func aHeartbeatOrAnAnswerKeepsThePublisher() throws {
        var stage = try liveStage()
        for _ in 0..<50 {
            let actions = stage.wait(.milliseconds(400))
            #expect(connections(actions).isEmpty)
            for ping in Sent.pings(in: actions) { stage.pong(to: ping) }
            stage.heartbeat()
        }
        #expect(stage.core.standing.state == .live)
    }

    // MARK: - What goes on

    @Test func nothingIsHiddenAndTheLeaseRunsToItsOwnEnd() throws {
        var stage = try liveStage()
        let lease = stage.core.standing.leaseExpiresAt
        let left = try leaveA(&stage)
        #expect(!left.forgets && stage.core.standing.state == .live)
        #expect(stage.core.standing.leaseExpiresAt == lease)
        stage.wait(.milliseconds(200))
        let welcomed = stage.welcome(live: Self.liveOfB)
        #expect(!welcomed.forgets)
        #expect(stage.core.standing.state == .live)
        #expect(stage.core.standing.leaseExpiresAt == lease, "WELCOME is no lease")
        stage.pong(to: try #require(Sent.pings(in: welcomed).first))
        #expect(stage.core.standing.leaseExpiresAt == stage.now.advanced(by: .seconds(3)))
        #expect(stage.core.statistics.forgettings == 1, "only the first contact")
    }

    @Test func withoutASuccessorTheLeaseEnds() throws {
        var stage = try liveStage()
        let lease = stage.core.standing.leaseExpiresAt
        try leaveA(&stage)
        while stage.now < lease { stage.wait(.milliseconds(50)) }
        stage.perform { _, _, _ in }
        #expect(stage.core.standing.state == .suspect)
        #expect(stage.core.standing.vouchedUntil == lease)
    }

    @Test func theGapIsReplayedByTheNewPublisherFromTheAppliedMark() throws {
        var stage = try liveStage(records: 3)
        try leaveA(&stage)
        try stage.append(4)
        let welcomed = stage.welcome(live: Self.liveOfB)
        #expect(welcomed.contains(.subscribe(live: Self.liveOfB)))
        let resume = try #require(Sent.resumes(in: welcomed).first)
        #expect(resume.after == stage.mark(3) && resume.log == ControlStage.log)
        #expect(stage.replay(resume).applied == Array(stage.records[3...]))
    }

    @Test func aHelloClaimsTheAppliedMark() throws {
        var stage = try liveStage(records: 3)
        let hello = try #require(Sent.hellos(in: try leaveA(&stage)).first)
        #expect(hello.log == ControlStage.log && hello.applied == stage.mark(3))
    }

    @Test func theSubscriptionIsKeptWhereTheNextLeaderSendsFromTheSameEndpoint() throws {
        var stage = try liveStage()
        try leaveA(&stage)
        let welcomed = stage.welcome(live: Self.liveOfA)
        #expect(!welcomed.contains(.subscribe(live: Self.liveOfA)))
    }

    @Test func unansweredRequestsAreRepeatedAtTheNewPublisher() throws {
        var stage = try liveStage()
        stage.versions = SharedVersions(configRevision: 3, topologyVersion: 4)
        #expect(Sent.types(in: stage.heartbeat()) == [.config, .topology])
        let asked = stage.perform { core, now, actions in
            core.askHead(ShardIndex(0), number: 5, now: now, into: &actions)
        }
        #expect(Sent.types(in: asked) == [.ping])
        try leaveA(&stage)
        let sent = Sent.types(in: stage.welcome(live: Self.liveOfB))
        #expect(sent.filter { $0 == .config } == [.config])
        #expect(sent.filter { $0 == .topology } == [.topology])
        #expect(sent.filter { $0 == .ping }.count == 2, "the lease and the head")
    }

    /// Each publisher draws its first version at random, so equal ones prove nothing.
    @Test func theTopologyIsRequestedFromEachNewPublisher() throws {
        var stage = try liveStage()
        try leaveA(&stage)
        let sent = Sent.types(in: stage.welcome(live: Self.liveOfB))
        #expect(sent.contains(.topology) && !sent.contains(.config))
    }

    @Test func floorsAreRequestedFromTheNewPublisherAtOnce() throws {
        var stage = try liveStage(records: 3)
        try stage.append(9)
        let question = try #require(Sent.of(.resume, in: stage.heartbeat()).first)
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(9))
        let forgotten = stage.control {
            truncated.encode(requestID: question.requestID, into: &$0)
        }
        #expect(Sent.types(in: forgotten).contains(.floors))
        try leaveA(&stage)
        #expect(Sent.types(in: stage.welcome(live: Self.liveOfB)).contains(.floors))
    }

    // MARK: - Publishes

    private func operation(_ frame: [UInt8]) throws -> OperationID {
        try frame.withUnsafeBytes {
            try InvalidateRequest(decoding: MessageView(decoding: $0)).operation
        }
    }

    @Test func aPublishWithoutAnAnswerIsSentAgainWithTheSameOperation() throws {
        var stage = try liveStage()
        let first = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 7)).first)
        try leaveA(&stage)
        let second = try #require(
            Sent.of(.invalidate, in: stage.welcome(live: Self.liveOfB)).first)
        #expect(first.requestID == second.requestID)
        #expect(try operation(first.frame) == operation(second.frame))
    }

    @Test func aPublishThatMetNoLeaderWaitsHoweverOften() throws {
        var stage = try liveStage()
        var sent = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 7)).first)
        for _ in 0..<4 {
            let declined = notLeader("", to: sent.requestID, on: &stage)
            #expect(!declined.contains { if case .published = $0 { true } else { false } })
            let hello = try #require(Sent.of(.hello, in: stage.wait(.milliseconds(125))).first)
            stage.answeredID = hello.requestID
            sent = try #require(
                Sent.of(.invalidate, in: stage.welcome(live: Self.liveOfB)).first)
        }
        let receipt = Receipt(
            position: stage.head.position, wait: .none, isComplete: true,
            nearCacheMilliseconds: 0)
        let id = sent.requestID
        let answered = stage.control { receipt.encode(requestID: id, into: &$0) }
        #expect(
            answered.contains(
                .published(
                    shard: ShardIndex(1), ticket: 7, result: .success(stage.head.position))))
    }

    @Test func aPublishThatNoLeaderTakesFailsAfterItsTime() throws {
        var stage = try liveStage()
        let sent = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 7)).first)
        notLeader("", to: sent.requestID, on: &stage)
        let failed = NodeControlAction.published(
            shard: ShardIndex(1), ticket: 7, result: .failure(.unanswered))
        #expect(!stage.wait(.milliseconds(4_999)).contains(failed))
        #expect(stage.wait(.milliseconds(1)).contains(failed))
    }

    /// The lease of a leader that was killed ends after two to two and a half seconds.
    @Test func aPublishOutlivesAFailover() throws {
        var stage = try liveStage()
        let sent = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 7)).first)
        var hello: Sent?
        for _ in 0..<60 {
            let actions = stage.wait(.milliseconds(50))
            hello = Sent.of(.hello, in: actions).last ?? hello
            #expect(!actions.contains { if case .published = $0 { true } else { false } })
        }
        stage.answeredID = try #require(hello).requestID
        let again = Sent.of(.invalidate, in: stage.welcome(live: Self.liveOfB))
        #expect(again.map(\.frame) == [sent.frame])
        let timeout = try sent.frame.withUnsafeBytes {
            try InvalidateRequest(decoding: MessageView(decoding: $0)).timeoutMilliseconds
        }
        #expect(timeout == 5_000, "no publisher gives it up before the node does")
    }

    /// Each answers nothing, and gives up.
    @Test func aPublishGoesToTheThirdPublisherToo() throws {
        var stage = try liveStage()
        let sent = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 7)).first)
        for live in [Self.liveOfB, Self.liveOfA, Self.liveOfB] {
            // Within the rate of HELLOs.
            stage.wait(.milliseconds(100))
            try leaveA(&stage)
            let again = Sent.of(.invalidate, in: stage.welcome(live: live))
            #expect(again.map(\.frame) == [sent.frame])
        }
    }

    // MARK: - Late messages of the old publisher

    /// `b` is greeted; `a` answers what it was asked before.
    private func lateStage() throws -> (ControlStage, ping: Sent, oldHead: LogMark) {
        var stage = try liveStage(records: 1)
        try stage.append(2)
        stage.live(2...3)
        let oldHead = stage.mark(2)
        let ping = try #require(Sent.of(.ping, in: stage.wait(.seconds(1))).first)
        try leaveA(&stage)
        return (stage, ping, oldHead)
    }

    private func pong(_ stage: ControlStage, head: LogMark) -> Pong {
        Pong(
            sentAt: stage.now.nanoseconds, log: ControlStage.log, head: head,
            leaseMilliseconds: 3_000, versions: stage.versions)
    }

    @Test func aLatePongGrantsNothingAndProvesNothing() throws {
        var (stage, ping, oldHead) = try lateStage()
        let lease = stage.core.standing.leaseExpiresAt
        let pong = pong(stage, head: oldHead)
        for _ in 0..<3 {
            let late = stage.control { pong.encode(requestID: ping.requestID, into: &$0) }
            #expect(late.isEmpty)
        }
        #expect(stage.core.standing.leaseExpiresAt == lease)
        #expect(stage.core.standing.state == .live && !stage.core.subscriber.isDiverged)
    }

    /// Twice the same older head is a log that lost its end, but only of a single publisher.
    @Test func anOlderHeadIsNoLossAndNoContradiction() throws {
        var (stage, _, oldHead) = try lateStage()
        let welcomed = stage.welcome(live: Self.liveOfB)
        stage.pong(to: try #require(Sent.pings(in: welcomed).first))
        let heartbeat = Heartbeat(
            log: ControlStage.log, head: oldHead, versions: stage.versions)
        let pong = pong(stage, head: oldHead)
        let id = stage.answeredID
        for _ in 0..<3 {
            #expect(!stage.live { heartbeat.encode(into: &$0) }.forgets)
            stage.control { pong.encode(requestID: id, into: &$0) }
        }
        #expect(!stage.core.subscriber.isDiverged && stage.core.standing.state == .live)
        #expect(stage.core.statistics.divergences == 0)
    }

    @Test func anOlderHeadWithAnotherDigestIsAContradiction() throws {
        var stage = try liveStage(records: 1)
        try stage.append(2)
        stage.live(2...3)
        let strange = Heartbeat(
            log: ControlStage.log,
            head: LogMark(position: stage.mark(2).position, digest: LogDigest(666)),
            versions: stage.versions)
        stage.live { strange.encode(into: &$0) }
        #expect(stage.core.subscriber.isDiverged && stage.core.standing.state == .suspect)
    }

    @Test func aLateTruncatedHidesNothing() throws {
        var stage = try liveStage(records: 3)
        try stage.append(5)
        let resume = try #require(Sent.of(.resume, in: stage.heartbeat()).first)
        try leaveA(&stage)
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(7))
        let late = stage.control { truncated.encode(requestID: resume.requestID, into: &$0) }
        #expect(late.isEmpty)
    }

    @Test func lateRecordsAreLinkedByTheirDigests() throws {
        var (stage, _, _) = try lateStage()
        try stage.append(1)
        #expect(stage.live(4...4).applied == [stage.records[3]], "it is of the log")
    }

    @Test func aLateWelcomeAndLateErrorsAreNoAnswerOfTheNewPublisher() throws {
        var stage = try stage()
        let hello = try #require(Sent.of(.hello, in: stage.start()).first)
        let next = try #require(Sent.of(.hello, in: stage.wait(.milliseconds(250))).first)
        stage.answeredID = hello.requestID
        #expect(stage.welcome(live: Self.liveOfA).isEmpty)
        #expect(stage.error(.notRegistered, "no node n1 here", to: hello.requestID).isEmpty)
        #expect(notLeader(Self.a, to: hello.requestID, on: &stage).isEmpty)
        stage.answeredID = next.requestID
        #expect(stage.welcome(live: Self.liveOfB).contains(.subscribe(live: Self.liveOfB)))
    }

    @Test func aLateReceiptIsOne() throws {
        var stage = try liveStage()
        let sent = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 7)).first)
        try leaveA(&stage)
        let receipt = Receipt(
            position: stage.head.position, wait: .none, isComplete: true,
            nearCacheMilliseconds: 0)
        let late = stage.control { receipt.encode(requestID: sent.requestID, into: &$0) }
        #expect(late.contains { if case .published(_, 7, .success) = $0 { true } else { false } })
        #expect(!Sent.types(in: stage.welcome(live: Self.liveOfB)).contains(.invalidate))
    }

    /// `a` answers several requests at once that it does not lead: one change, to where the first
    /// answer led.
    @Test func severalAnswersOfOnePublisherAreOneChange() throws {
        var stage = try liveStage()
        let publish = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 7)).first)
        let ping = try #require(Sent.of(.ping, in: stage.wait(.seconds(1))).first)
        #expect(connections(notLeader("tcp://x:1", to: ping.requestID, on: &stage)).count == 1)
        for id in [ping.requestID, publish.requestID] {
            #expect(notLeader("tcp://y:1", to: id, on: &stage).isEmpty)
        }
    }

    @Test func aFarewellOfAPublisherThatWasLeftIsIgnored() throws {
        var stage = try liveStage()
        try leaveA(&stage)
        #expect(farewell(&stage).isEmpty)
    }

    // MARK: - Reports

    @Test func eachPublisherIsReportedOnceUntilOneLeads() throws {
        var stage = try liveStage()
        var reports = try leaveA(&stage).reports
        for _ in 0..<40 {
            stage.answeredID = 1 << 40
            reports += notLeader("", on: &stage).reports
            reports += stage.wait(.milliseconds(125)).reports
        }
        #expect(
            reports.filter { $0 != .suspect } == [
                .publisherDoesNotLead(endpoint: Self.a, leader: ""),
                .publisherDoesNotLead(endpoint: Self.b, leader: ""),
            ])
    }

    @Test func theStandingSaysWhetherPublishersAnswer() throws {
        var stage = try stage()
        stage.start()
        #expect(stage.core.standing.doubt?.reason == .publisherUnheard)
        notLeader("", on: &stage)
        #expect(stage.core.standing.doubt?.reason == .noLeader)
        #expect(stage.core.standing.doubt?.answeredAt == nil, "that was no answer")
        for _ in 0..<30 {
            stage.wait(.milliseconds(100))
            stage.perform { _, _, _ in }
        }
        #expect(stage.core.standing.doubt?.reason == .publisherUnheard, "all are silent since")
    }

    @Test func aPublisherThatForgotThisRunIsGreetedOnTheSameConnection() throws {
        var stage = try liveStage()
        let ping = try #require(Sent.of(.ping, in: stage.wait(.seconds(1))).first)
        let actions = stage.error(.notRegistered, "say HELLO first", to: ping.requestID)
        #expect(Sent.types(in: actions) == [.hello] && connections(actions).isEmpty)
    }
}
