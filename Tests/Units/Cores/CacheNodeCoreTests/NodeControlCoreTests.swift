import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing
import TestSupport

@testable import CacheNodeCore

@Suite struct NodeControlCoreTests {
    // MARK: - The start

    @Test func aNewNodeSubscribesGreetsTakesTheHeadAndBecomesLive() throws {
        var stage = try ControlStage()
        try stage.append(5)
        #expect(stage.core.standing.state == .starting)

        let heard = stage.heartbeat()
        #expect(Sent.types(in: heard) == [.hello])
        #expect(Sent.hellos(in: heard).first?.applied == LogMark.none)
        #expect(stage.core.standing.state == .syncing)

        let welcomed = stage.welcome()
        #expect(
            welcomed.contains(
                .forget(continueFrom: stage.mark(5), epochChanged: true, isPending: false)))
        #expect(Sent.types(in: welcomed) == [.config, .topology, .ping, .ack])
        let ping = try #require(Sent.pings(in: welcomed).first)
        #expect(ping.applied == stage.mark(5))
        #expect(Sent.acks(in: welcomed) == [stage.mark(5)])

        stage.configuration()
        let granted = stage.pong(to: ping)
        var standing = NodeStanding(
            state: .live, leaseExpiresAt: stage.now.advanced(by: .seconds(3)),
            log: ControlStage.log, head: stage.mark(5).position, topologyVersion: 0)
        standing.vouchedUntil = standing.leaseExpiresAt
        #expect(granted == [.setStanding(standing), .report(.live)])
    }

    @Test func aNodeListensForAWhileBeforeItsFirstHello() throws {
        var stage = try ControlStage()
        #expect(Sent.all(in: stage.wait(.milliseconds(499))).isEmpty)
        // A publisher without its log is silent until it has been greeted.
        #expect(Sent.types(in: stage.wait(.milliseconds(1))) == [.hello])
        #expect(stage.core.standing.state == .starting)
        #expect(Sent.types(in: stage.heartbeat()).isEmpty)
        #expect(stage.core.standing.state == .syncing)
        #expect(Sent.types(in: stage.welcome()).contains(.ping))
    }

    @Test func helloIsRepeatedWithBackoffAndThenOnANewConnection() throws {
        var stage = try ControlStage()
        var actions = stage.heartbeat()
        let first = try #require(Sent.of(.hello, in: actions).first)
        var moments: [Instant] = [stage.now]
        var reconnections = 0
        while moments.count < 9 {
            let deadline = try #require(stage.core.nextDeadline)
            #expect(deadline > stage.now, "a deadline that has passed would spin")
            actions = stage.wait(deadline.elapsed(since: stage.now))
            stage.heartbeat()
            for hello in Sent.of(.hello, in: actions) {
                #expect(hello.requestID == first.requestID)
                moments.append(stage.now)
            }
            reconnections += actions.count { $0 == .reconnectControl }
        }
        let pauses = zip(moments.dropFirst(), moments).map { $0.elapsed(since: $1) }
        #expect(pauses[0] >= NodeControlLimits.helloWaitMin * 3 / 4)
        #expect(pauses.allSatisfy { $0 <= NodeControlLimits.helloWaitMax })
        #expect(pauses[7] >= NodeControlLimits.helloWaitMax * 3 / 4)
        #expect(reconnections == 2)
    }

    @Test func aNodeThatTheConfigurationDoesNotKnowStops() throws {
        var stage = try ControlStage()
        let hello = try #require(Sent.of(.hello, in: stage.heartbeat()).first)
        #expect(
            stage.error(.notRegistered, "no node n1 here", to: hello.requestID)
                == [.fatal(sentence: "no node n1 here")])
    }

    @Test func anotherErrorToHelloIsToldAndTheGreetingGoesOn() throws {
        var stage = try ControlStage()
        let hello = try #require(Sent.of(.hello, in: stage.heartbeat()).first)
        let actions = stage.error(.unavailable, "not yet", to: hello.requestID)
        #expect(actions == [.report(.refused(code: 11, message: "not yet"))])
        #expect(Sent.types(in: stage.wait(.milliseconds(300))) == [.hello])
    }

    // MARK: - Steady state

    @Test func pingsGoOutEveryThirdOfTheLease() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        var pings = 0
        for _ in 0..<90 {
            for ping in Sent.pings(in: stage.wait(.milliseconds(100))) {
                pings += 1
                stage.pong(to: ping)
            }
            stage.heartbeat()
        }
        #expect(pings == 9)
        #expect(stage.core.standing.state == .live)
    }

    @Test func recordsAreAppliedAndAcknowledgedOnceATurn() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(6)
        let actions = stage.live(1...6)
        #expect(actions.applied == stage.records)
        #expect(Sent.types(in: actions) == [.ack])
        #expect(Sent.acks(in: actions) == [stage.mark(6)])
        #expect(Sent.all(in: stage.wait(.zero)).isEmpty)
    }

    @Test func recordsWithoutWaitersAreAcknowledgedInBatches() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(20)
        var said: [LogMark] = []
        stage.wait(.milliseconds(100))
        for number in 1...18 {
            let acks = Sent.acks(in: stage.live(number...number, isLazy: true))
            if acks.isEmpty {
                let deadline = try #require(stage.core.nextDeadline)
                #expect(deadline <= stage.now.advanced(by: NodeControlLimits.ackSpacing))
            }
            said += acks + Sent.acks(in: stage.wait(.milliseconds(1)))
        }
        #expect(said == [1, 10].map(stage.mark))
        #expect(Sent.acks(in: stage.wait(.milliseconds(10))) == [stage.mark(18)])

        // Whoever waits is told at once, and what follows waits again.
        #expect(Sent.acks(in: stage.live(19...19)) == [stage.mark(19)])
        #expect(Sent.acks(in: stage.live(20...20, isLazy: true)).isEmpty)
    }

    @Test func aShardThatObeysLateIsWaitedForAndNotForgotten() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(3)
        stage.slowShards = [1]
        #expect(Sent.acks(in: stage.live(1...2)).isEmpty)
        #expect(Sent.acks(in: stage.live(3...3, isLazy: true)).isEmpty)
        // The first two are awaited, and nobody was told of them yet.
        let mark = stage.mark(2)
        let obeyed = stage.perform { core, now, actions in
            core.shardApplied(ShardIndex(1), mark: mark, now: now, into: &actions)
        }
        #expect(Sent.acks(in: obeyed) == [mark])
    }

    @Test func lazilyApplyingShardsArePolledUntilTheyHaveApplied() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(2)
        stage.wait(.milliseconds(100))
        stage.slowShards = [0, 1]
        #expect(stage.live(1...2, isLazy: true).applies(isAwaited: false))
        for _ in 0..<5 {
            let deadline = try #require(stage.core.nextDeadline)
            #expect(deadline > stage.now)
            #expect(deadline <= stage.now.advanced(by: NodeControlLimits.ackSpacing))
            #expect(Sent.all(in: stage.wait(deadline.elapsed(since: stage.now))).isEmpty)
        }
        let mark = stage.mark(2)
        let obeyed = stage.perform { core, now, actions in
            for shard in 0..<2 {
                core.shardApplied(ShardIndex(shard), mark: mark, now: now, into: &actions)
            }
        }
        #expect(Sent.acks(in: obeyed) == [mark])
        stage.wait(NodeControlLimits.ackSpacing)
        let later = stage.now.advanced(by: NodeControlLimits.ackSpacing)
        #expect(try #require(stage.core.nextDeadline) > later)
    }

    @Test func anAwaitedRecordReceivedEarlyIsAppliedAsAwaited() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(3)
        #expect(stage.live(1...1, isLazy: true).applies(isAwaited: false))
        #expect(stage.live(3...3).applied.isEmpty)
        let closing = stage.live(2...2, isLazy: true)
        #expect(closing.applied.count == 2)
        #expect(closing.applies(isAwaited: true))
        #expect(Sent.acks(in: closing) == [stage.mark(3)])
    }

    @Test func theLeastOfTheShardsIsClaimed() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(4)
        stage.slowShards = [1]
        #expect(Sent.acks(in: stage.live(1...4)).isEmpty)

        let mark = stage.mark(3)
        let obeyed = stage.perform { core, now, actions in
            core.shardApplied(ShardIndex(1), mark: mark, now: now, into: &actions)
        }
        #expect(Sent.acks(in: obeyed) == [mark])
        let pings = Sent.pings(in: stage.wait(.seconds(1)))
        #expect(pings.map(\.applied) == [mark])
    }

    @Test func aLeaseWaitsForTheSlowestShard() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(2)
        stage.slowShards = [1]
        stage.live(1...2)
        let before = stage.core.standing.leaseExpiresAt
        let ping = try #require(Sent.pings(in: stage.wait(.seconds(1))).first)
        stage.pong(to: ping)
        #expect(stage.core.standing.leaseExpiresAt == before)

        let mark = stage.mark(2)
        stage.perform { core, now, actions in
            core.shardApplied(ShardIndex(1), mark: mark, now: now, into: &actions)
        }
        #expect(stage.core.standing.leaseExpiresAt == before.advanced(by: .seconds(1)))
    }

    @Test func aGrantIsNeverLongerThanThePublisherSaid() throws {
        var stage = try ControlStage()
        stage.heartbeat()
        let ping = try #require(Sent.pings(in: stage.welcome()).first)
        stage.configuration()
        stage.pong(to: ping, lease: 20)
        #expect(stage.core.standing.leaseExpiresAt == stage.now.advanced(by: .milliseconds(20)))
    }

    // MARK: - Losses

    @Test func aMissedTailIsFoundByTheHeartbeatAndReplayed() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(3)
        let found = stage.heartbeat()
        let resume = try #require(Sent.resumes(in: found).first)
        #expect(resume.after.position.sequence == .none)
        #expect(found.reports == [.gap(after: resume.after.position, missingCount: 3)])
        #expect(stage.core.standing.state == .catchingUp)

        let closed = stage.replay(resume)
        #expect(closed.applied == stage.records)
        #expect(closed.reports.contains(.replayed(recordCount: 3)))
        #expect(Sent.acks(in: closed) == [stage.mark(3)])
        #expect(stage.core.standing.state == .live)
    }

    @Test func aReplayThatDoesNotComeIsAskedForOnEveryHeartbeat() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(3)
        #expect(Sent.types(in: stage.heartbeat()) == [.resume])
        // A heartbeat that follows a burst at once does not double the question.
        #expect(Sent.types(in: stage.heartbeat()) == [])
        for _ in 1...3 {
            stage.wait(.milliseconds(500))
            #expect(Sent.types(in: stage.heartbeat()) == [.resume])
        }
    }

    /// RESUME is a claim, and receipts rest on it.
    @Test func aReplayIsRequestedOnlyAfterAllShardsAppliedEarlierRecords() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(4)
        stage.slowShards = [1]
        stage.live(1...2)
        #expect(Sent.types(in: stage.live(4...4)).isEmpty)
        stage.wait(.milliseconds(500))
        #expect(Sent.types(in: stage.heartbeat()).isEmpty)

        let mark = stage.mark(2)
        let obeyed = stage.perform { core, now, actions in
            core.shardApplied(ShardIndex(1), mark: mark, now: now, into: &actions)
        }
        #expect(Sent.types(in: obeyed) == [.resume, .ack])
        #expect(Sent.resumes(in: obeyed).map(\.after) == [mark])
    }

    @Test func tenThousandMissedRecordsAreReplayedWithTheLiveChannelCut() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(10_000)
        let ping = try #require(Sent.pings(in: stage.wait(.seconds(1))).first)
        var actions = stage.pong(to: ping)
        var applied: [SealedRecord] = []
        var questions = 0
        while let resume = Sent.resumes(in: actions).first {
            questions += 1
            actions = stage.replay(resume)
            applied += actions.applied
        }
        #expect(questions == 3)
        #expect(applied == stage.records)
        #expect(stage.core.standing.state == .live)
        #expect(stage.core.standing.head == stage.head.position)
    }

    @Test func missedHeartbeatsMakeTheSubscriptionAnewWithPausesThatGrow() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        var moments: [Instant] = []
        for _ in 0..<400 {
            let actions = stage.wait(.milliseconds(100))
            for ping in Sent.pings(in: actions) { stage.pong(to: ping) }
            if actions.contains(.resubscribe) { moments.append(stage.now) }
        }
        let pauses = zip(moments.dropFirst(), moments).map { $0.elapsed(since: $1) }
        #expect((12...18).contains(moments.count))
        #expect(
            pauses.allSatisfy { $0 <= NodeControlLimits.resubscribeWaitMax + .milliseconds(100) })
        #expect(try #require(pauses.first) < .seconds(2))
        #expect(try #require(pauses.last) > .seconds(2))
        // The control channel answers, so the node is live all the same.
        #expect(stage.core.standing.state == .live)
    }

    // MARK: - The lease is over, and regained

    @Test func withoutThePublisherTheNodeIsSuspectAfterALease() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        var reports: [NodeControlReport] = []
        var sent: [MessageType] = []
        for _ in 0..<31 {
            let actions = stage.wait(.milliseconds(100))
            reports += actions.reports
            sent += Sent.types(in: actions)
        }
        #expect(stage.core.standing.state == .suspect)
        #expect(stage.core.standing.leaseLeft(at: stage.now) == .zero)
        #expect(reports.contains(.suspect))
        #expect(reports.contains(.lostPublisher(silence: .seconds(3))))
        #expect(sent.contains(.hello))
    }

    @Test func aPublisherThatContinuesTheLogHidesNothing() throws {
        var stage = try ControlStage()
        try stage.append(5)
        try stage.becomeLive()
        for _ in 0..<50 { stage.wait(.milliseconds(100)) }
        #expect(stage.core.standing.state == .suspect)

        // It is back with the mark that the node reported, and goes on from there.
        stage.wait(.seconds(5))
        var actions = stage.welcome()
        #expect(!actions.forgets)
        #expect(stage.core.standing.state == .syncing)
        let ping = try #require(Sent.pings(in: actions).first)
        #expect(ping.applied == stage.mark(5))
        actions = stage.pong(to: ping)
        #expect(actions.reports == [.live])
        try stage.append(1)
        #expect(stage.live(6...6).applied == [stage.records[5]])
        #expect(stage.core.statistics.forgettings == 1)
    }

    @Test func aPublisherThatForgotThisRunIsGreetedAgainWithTheMark() throws {
        var stage = try ControlStage()
        try stage.append(5)
        try stage.becomeLive()
        let ping = try #require(Sent.of(.ping, in: stage.wait(.seconds(1))).first)
        let actions = stage.error(.notRegistered, "say HELLO first", to: ping.requestID)
        #expect(actions.reports == [.forgottenByPublisher])
        let hello = try #require(Sent.hellos(in: actions).first)
        #expect(hello.applied == stage.mark(5))
        #expect(hello.log == ControlStage.log)
        // The lease of before still runs.
        #expect(stage.core.standing.state == .live)
        #expect(!stage.welcome().forgets)
        #expect(stage.core.standing.state == .live)
    }

    /// Found by the simulation: a shard hung, a record of another epoch made the node forget, and a
    /// publisher that had just started was greeted as by a run that never had a lease.
    @Test func helloNamesTheLeasesLogAfterARecordBeganAnotherEpoch() throws {
        var stage = try ControlStage()
        try stage.append(5)
        try stage.becomeLive()
        stage.records = []
        stage.epoch = Epoch(2)
        try stage.append(2)
        stage.slowShards = [1]
        #expect(stage.live(2...2).forgets)
        #expect(stage.core.log == .none)
        let hello = try #require(Sent.hellos(in: stage.wait(.seconds(4))).first)
        #expect(hello.log == ControlStage.log)
        #expect(hello.applied == .none)
    }

    @Test func anotherLogMakesTheNodeSuspectUntilItIsTruncated() throws {
        var stage = try ControlStage()
        try stage.append(5)
        try stage.becomeLive()
        let own = stage.mark(5)
        stage.records = []
        stage.logID = LogID(8)
        stage.epoch = Epoch(2)
        try stage.append(3)

        let heard = stage.heartbeat()
        #expect(stage.core.standing.state == .suspect)
        #expect(stage.core.standing.leaseLeft(at: stage.now) == .zero)
        #expect(heard.reports.contains(.diverged(applied: own.position, log: ControlStage.log)))
        let question = try #require(Sent.of(.resume, in: heard).first)
        #expect(Sent.resumes(in: heard).first?.after == own)

        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(1))
        let answered = stage.control { truncated.encode(requestID: question.requestID, into: &$0) }
        #expect(
            answered.contains(
                .forget(continueFrom: stage.head, epochChanged: true, isPending: false)))
        #expect(stage.core.standing.state == .syncing)
        let ping = try #require(Sent.pings(in: answered).first)
        #expect(ping.applied == stage.head)
        #expect(stage.pong(to: ping).reports == [.live])
        #expect(stage.core.standing.log == LogID(8))
    }

    @Test func aSettledContradictionNeedsANewLease() throws {
        var stage = try ControlStage()
        try stage.append(5)
        try stage.becomeLive()
        let early = try #require(Sent.pings(in: stage.wait(.seconds(1))).first)
        let stranger = Heartbeat(log: LogID(8), head: stage.head, versions: stage.versions)
        let heard = stage.live { stranger.encode(into: &$0) }
        let resume = try #require(Sent.resumes(in: heard).first)

        stage.wait(.milliseconds(10))
        let settled = stage.replay(resume)
        #expect(!stage.core.subscriber.isDiverged)
        #expect(stage.core.standing.state == .suspect)
        stage.pong(to: early)
        #expect(stage.core.standing.state == .suspect, "it was asked for before")
        let ping = try #require(Sent.pings(in: settled).first)
        stage.pong(to: ping)
        #expect(stage.core.standing.state == .live)
        #expect(stage.core.statistics.forgettings == 1, "only the first contact")
    }

    @Test func aTruncatedGapIsForgottenWithoutAnotherEpoch() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(9)
        let question = try #require(Sent.of(.resume, in: stage.heartbeat()).first)
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(5))
        #expect(
            !stage.control { truncated.encode(requestID: question.requestID + 1, into: &$0) }
                .forgets, "an answer to another question")
        let answered = stage.control { truncated.encode(requestID: question.requestID, into: &$0) }
        #expect(
            answered.contains(
                .forget(continueFrom: stage.mark(9), epochChanged: false, isPending: true)))
    }

    /// What the shards said before they heard of the forgetting must not count as applied.
    @Test func afterForgettingEveryShardMustReportAnew() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(9)
        let question = try #require(Sent.of(.resume, in: stage.heartbeat()).first)
        stage.slowShards = [0, 1]
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(5))
        stage.control { truncated.encode(requestID: question.requestID, into: &$0) }
        #expect(stage.core.standing.state == .syncing, "no lease outlives a forgetting")
        let old = stage.mark(2)
        let new = stage.mark(9)
        var actions = stage.perform { core, now, actions in
            core.shardApplied(ShardIndex(0), mark: new, now: now, into: &actions)
            core.shardApplied(ShardIndex(1), mark: old, now: now, into: &actions)
        }
        #expect(Sent.all(in: actions).isEmpty)
        actions = stage.perform { core, now, actions in
            core.shardApplied(ShardIndex(1), mark: new, now: now, into: &actions)
        }
        #expect(Sent.types(in: actions) == [.ping, .ack])
    }

    @Test func aPongWithoutALeaseIsAnsweredByAQuestion() throws {
        var stage = try ControlStage()
        try stage.append(5)
        try stage.becomeLive()
        let ping = try #require(Sent.pings(in: stage.wait(.seconds(1))).first)
        let actions = stage.pong(to: ping, lease: 0)
        #expect(Sent.resumes(in: actions).first?.after == stage.mark(5))
        #expect(stage.core.standing.state == .live, "the lease of before still runs")
    }

    // MARK: - Configuration and topology

    /// What a namespace promises decides what is fresh: a load that may lag behind its origin, say.
    @Test func noLeaseIsTakenBeforeTheConfigurationIsKnown() throws {
        var stage = try ControlStage()
        stage.heartbeat()
        let first = try #require(Sent.pings(in: stage.welcome()).first)
        // Its answer was lost with the connection, and the PONG came.
        stage.pong(to: first)
        #expect(stage.core.standing.state == .syncing)
        stage.configuration()
        #expect(stage.core.standing.state == .syncing)
        let second = try #require(Sent.pings(in: stage.wait(.seconds(1))).first)
        stage.pong(to: second)
        #expect(stage.core.standing.state == .live)
    }

    /// A later release wrote it: its shards know no namespace's settings.
    @Test func aFirstConfigurationThatCannotBeReadGivesNoLease() throws {
        var stage = try ControlStage()
        stage.heartbeat()
        let first = try #require(Sent.pings(in: stage.welcome()).first)
        stage.configuration("a later: release")
        stage.pong(to: first)
        let isAnyLeft = stage.core.configurationUnreadable()
        #expect(!isAnyLeft)
        let second = try #require(Sent.pings(in: stage.wait(.seconds(1))).first)
        stage.pong(to: second)
        #expect(stage.core.standing.state == .suspect)
        #expect(stage.core.standing.doubt?.reason == .noConfiguration)

        stage.versions.configRevision = 2
        stage.heartbeat()
        stage.configuration()
        let third = try #require(Sent.pings(in: stage.wait(.seconds(1))).first)
        stage.pong(to: third)
        #expect(stage.core.standing.state == .live)
        stage.versions.configRevision = 3
        stage.heartbeat()
        stage.configuration("a later: release")
        let isEarlierLeft = stage.core.configurationUnreadable()
        #expect(isEarlierLeft && stage.core.standing.state == .live)
    }

    @Test func configurationAndTopologyAreFetchedWhenTheirVersionsDiffer() throws {
        var stage = try ControlStage()
        stage.versions = SharedVersions(configRevision: 3, topologyVersion: 4)
        stage.heartbeat()
        var sent = Sent.types(in: stage.welcome())
        #expect(sent.contains(.config) && sent.contains(.topology))

        #expect(
            stage.configuration("nodes: []")
                .contains(.configuration(revision: 3, text: "nodes: []")))
        let topology = TopologyReport(
            version: 4, kind: .sharded, controlEndpoint: "c", liveEndpoint: "l", nodes: [])
        let frame = ControlStage.frame { topology.encode(requestID: 9, into: &$0) }
        #expect(
            stage.control { topology.encode(requestID: 9, into: &$0) }
                .contains(.topology(frame: frame)))
        #expect(stage.core.standing.topologyVersion == 4)

        #expect(Sent.types(in: stage.heartbeat()).isEmpty)
        stage.versions.topologyVersion = 5
        #expect(Sent.types(in: stage.heartbeat()) == [.topology])
        #expect(Sent.types(in: stage.heartbeat()).isEmpty, "it was asked for a moment ago")
        stage.wait(.milliseconds(999))
        stage.heartbeat()
        sent = Sent.types(in: stage.wait(.milliseconds(1)))
        sent += Sent.types(in: stage.heartbeat())
        #expect(sent.contains(.topology))
    }

    // MARK: - Publishing

    @Test func aPublishIsAnsweredWithItsPosition() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let sent = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 77)).first)
        let position = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))
        let receipt = Receipt(
            position: position, wait: .none, isComplete: true, nearCacheMilliseconds: 0)
        let answer = NodeControlAction.published(
            shard: ShardIndex(1), ticket: 77, result: .success(position))
        #expect(stage.control { receipt.encode(requestID: sent.requestID, into: &$0) } == [answer])
        #expect(stage.control { receipt.encode(requestID: sent.requestID, into: &$0) } == [])
    }

    @Test func aRefusedPublishSaysWhy() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let sent = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 77)).first)
        #expect(
            stage.error(.outOfRange, "too long", to: sent.requestID) == [
                .published(
                    shard: ShardIndex(1), ticket: 77,
                    result: .failure(.refused(code: 5, message: "too long")))
            ])
    }

    @Test func aPublishThatIsNotAnsweredFailsAfterItsTime() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        stage.publish(ticket: 77)
        #expect(stage.failures(after: .milliseconds(1_999)).isEmpty)
        #expect(stage.failures(after: .milliseconds(1)) == [.unanswered])
    }

    @Test func theOnlyPublisherMayKeepAPublishForTwoSeconds() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let sent = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 77)).first)
        let timeout = try sent.frame.withUnsafeBytes {
            try InvalidateRequest(decoding: MessageView(decoding: $0)).timeoutMilliseconds
        }
        #expect(timeout == 2_000)
    }

    @Test func aPublishIsSentOnceAgainWhenThePublisherIsBack() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let first = try #require(Sent.of(.invalidate, in: stage.publish(ticket: 1)).first)
        for round in 1...2 {
            stage.error(.notRegistered, "say HELLO first", to: 0)
            let again = Sent.of(.invalidate, in: stage.welcome())
            #expect(again.map(\.frame) == (round == 1 ? [first.frame] : []))
        }
    }

    @Test func aPublishWhileThePublisherIsAwayIsSentWhenItWelcomes() throws {
        var stage = try ControlStage()
        stage.heartbeat()
        #expect(Sent.of(.invalidate, in: stage.publish(ticket: 1)).isEmpty)
        #expect(Sent.of(.invalidate, in: stage.welcome()).count == 1)
    }

    @Test func publishesInFlightAreBounded() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        for ticket in 0..<UInt64(NodeControlLimits.publishesInFlightMax) {
            #expect(stage.publish(ticket: ticket).count == 1)
        }
        #expect(
            stage.publish(ticket: 5_000) == [
                .published(
                    shard: ShardIndex(1), ticket: 5_000, result: .failure(.tooManyInFlight))
            ])
        #expect(stage.failures(after: .seconds(2)).count == NodeControlLimits.publishesInFlightMax)
        #expect(Sent.types(in: stage.publish(ticket: 5_001)) == [.invalidate])
    }

    @Test(arguments: [0, 20, 1_001])
    func aPublishThatNoRecordCanHoldIsNotSent(scopeCount: Int) throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let key = try #require(CacheKey(bytes: Array(repeating: 1, count: 4_096)))
        let scopes = Array(repeating: Scope(.key(key, in: .default)), count: scopeCount)
        #expect(
            stage.publish(ticket: 1, scopes: scopes) == [
                .published(shard: ShardIndex(1), ticket: 1, result: .failure(.outOfRange))
            ])
    }

    // MARK: - The end

    @Test func stoppingAnswersWhatIsUnderWayAndSaysBye() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        stage.publish(ticket: 3)
        stage.perform { core, now, actions in core.drain(now: now, into: &actions) }
        #expect(stage.core.standing.state == .draining)
        #expect(stage.core.standing.leaseLeft(at: stage.now) > .zero)

        let actions = stage.perform { core, now, actions in core.stop(now: now, into: &actions) }
        #expect(
            actions.first
                == .published(shard: ShardIndex(1), ticket: 3, result: .failure(.leaving)))
        #expect(Sent.types(in: actions) == [.bye])
        #expect(stage.core.standing.leaseLeft(at: stage.now) == .zero)
        #expect(stage.core.nextDeadline == nil)
        #expect(stage.heartbeat().isEmpty)
        #expect(stage.wait(.seconds(60)).isEmpty)
    }

    // MARK: - Garbage

    @Test func everyTruncatedFrameIsCountedAndDropped() throws {
        var stage = try ControlStage()
        try stage.append(3)
        try stage.becomeLive()
        let run = RecordRun(records: stage.records, head: stage.head)
        let whole = ControlStage.frame { run.encode(requestID: 1, into: &$0) }
        for length in 0..<whole.count {
            let part = Array(whole.prefix(length))
            let actions = stage.control { $0.append(part) }
            #expect(actions.count == 1 && actions.reports.count == 1)
        }
        #expect(stage.core.statistics.damagedFrames == whole.count)
        #expect(stage.core.standing.state == .live)
    }

    /// Frames with bytes changed, on either channel, in any order, while time passes: no trap, no
    /// deadline that spins, and no lease beyond what one PONG may grant.
    @Test(arguments: UInt64(1)...40)
    func noFrameTrapsOrGrantsTooMuch(seed: UInt64) throws {
        var stage = try ControlStage(seed: seed)
        try stage.append(8)
        var chance = SeededGenerator(seed: seed)
        let samples = stage.sampleFrames()
        for _ in 0..<400 {
            var frame = samples[Int(chance.next() % UInt64(samples.count))]
            for _ in 0..<(chance.next() % 4) {
                let place = Int(chance.next() % UInt64(frame.count))
                frame[place] = UInt8(truncatingIfNeeded: chance.next())
            }
            switch chance.next() % 4 {
            case 0: stage.live { $0.append(frame) }
            case 1: stage.wait(.milliseconds(Int64(chance.next() % 700)))
            default: stage.control { $0.append(frame) }
            }
            let latest = stage.now.advanced(by: NodeControlLimits.leaseMax)
            #expect(stage.core.standing.leaseExpiresAt <= latest)
            #expect(stage.core.nextDeadline.map { $0 > stage.now } ?? true)
        }
    }

    @Test func theLimitsAgreeWithOneAnother() {
        NodeControlLimits.check()
    }
}

extension ControlStage {
    @discardableResult
    mutating func publish(
        ticket: UInt64, scopes: [Scope] = [Scope(.namespace(.default))]
    ) -> [NodeControlAction] {
        perform { core, now, actions in
            core.publish(
                ShardPublishRequest(
                    shard: ShardIndex(1), ticket: ticket, scopes: scopes,
                    operation: OperationID(high: 1, low: ticket)),
                now: now, into: &actions)
        }
    }

    fileprivate mutating func failures(after duration: Duration) -> [PublishFailure] {
        wait(duration).compactMap { action in
            guard case .published(_, _, .failure(let failure)) = action else { return nil }
            return failure
        }
    }

    /// One good frame of every kind that a publisher sends.
    fileprivate func sampleFrames() -> [[UInt8]] {
        let ping = Ping(
            incarnation: Incarnation(42), sentAt: now.nanoseconds, applied: head, state: .live)
        let messages: [(inout ByteWriter) -> Void] = [
            { Heartbeat(log: logID, head: head, versions: versions).encode(into: &$0) },
            { RecordRun(records: Array(records[2...5])).encode(requestID: 0, into: &$0) },
            { RecordRun(records: records, head: head).encode(requestID: 1, into: &$0) },
            {
                Welcome(
                    log: logID, head: mark(2), tail: SequenceNumber(1), leaseMilliseconds: 3_000,
                    heartbeatMilliseconds: 500, versions: versions, liveEndpoint: "x"
                ).encode(requestID: 1, into: &$0)
            },
            {
                Pong(
                    sentAt: ping.sentAt, log: logID, head: head, leaseMilliseconds: 3_000,
                    versions: versions
                ).encode(requestID: 1, into: &$0)
            },
            {
                let requestID = ControlRequestID.make(.resume, number: 2)
                Truncated(log: logID, head: head, tail: SequenceNumber(1))
                    .encode(requestID: requestID, into: &$0)
            },
            { ErrorReply(.notRegistered, "HELLO first").encode(requestID: 5, into: &$0) },
            { ConfigReport(revision: 1, text: "a: b").encode(requestID: 1, into: &$0) },
        ]
        return messages.map { ControlStage.frame($0) }
    }
}
