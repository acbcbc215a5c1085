import CacheInvalidation
import CacheMemory
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// A node that begins where its disk was: to the publisher it is one that slept.
@Suite struct NodeControlCoreResumingTests {
    /// A log of `head` records, and a node that has applied `reached` of them in an earlier life.
    private func stage(
        reached: Int, head: Int, change: (inout ControlStage) -> Void = { _ in }
    ) throws -> ControlStage {
        var log = try ControlStage(resuming: nil)
        try log.append(max(reached, head))
        var stage = try ControlStage(
            resuming: LogResumption(log: ControlStage.log, mark: log.mark(reached)))
        stage.records = Array(log.records.prefix(head))
        change(&stage)
        return stage
    }

    /// Starts, is greeted, and answers with what the welcome brings.
    private func join(_ stage: inout ControlStage) -> [NodeControlAction] {
        stage.start()
        stage.heartbeat()
        return stage.welcome(previousRun: Incarnation(41))
    }

    private func floors(_ stage: ControlStage, completeSince: UInt64) -> FloorSnapshotPart {
        FloorSnapshotPart(
            log: stage.logID, asOf: stage.head, completeSince: SequenceNumber(completeSince),
            firstBucket: 0, nextBucket: 1 << 22)
    }

    // MARK: - The same log

    @Test func itClaimsItsPlaceAndIsReplayedWhatItMissed() throws {
        var stage = try stage(reached: 5, head: 9)
        let started = stage.start()
        #expect(stage.core.standing.log == ControlStage.log)
        #expect(stage.core.standing.head == stage.mark(5).position)
        #expect(!started.forgets)

        let hello = try #require(Sent.hellos(in: stage.heartbeat()).first)
        #expect(hello.log == ControlStage.log && hello.applied == stage.mark(5))
        let welcomed = stage.welcome()
        #expect(!welcomed.forgets)
        let resume = try #require(Sent.resumes(in: welcomed).first)
        #expect(resume.log == ControlStage.log && resume.after == stage.mark(5))
        #expect(Sent.acks(in: welcomed) == [stage.mark(5)])

        let replayed = stage.replay(resume)
        #expect(replayed.applied == Array(stage.records[5...]))
        #expect(Sent.acks(in: replayed) == [stage.mark(9)])
        #expect(stage.core.statistics.forgettings == 0)
    }

    @Test func aNodeThatMissedNothingIsLiveAtItsFirstLease() throws {
        var stage = try stage(reached: 5, head: 5)
        let welcomed = join(&stage)
        #expect(!welcomed.forgets && Sent.resumes(in: welcomed).isEmpty)
        let ping = try #require(Sent.pings(in: welcomed).first)
        #expect(ping.applied == stage.mark(5))
        stage.configuration()
        stage.pong(to: ping)
        #expect(stage.core.standing.state == .live)
    }

    @Test func itHasNoLeaseBeforeTheReplayHasReachedTheHead() throws {
        var stage = try stage(reached: 5, head: 9)
        let welcomed = join(&stage)
        stage.configuration()
        let ping = try #require(Sent.pings(in: welcomed).first)
        stage.pong(to: ping)
        #expect(stage.core.standing.state == .syncing)
        #expect(stage.core.standing.leaseLeft(at: stage.now) == .zero)

        let resume = try #require(Sent.resumes(in: welcomed).first)
        stage.slowShards = [1]
        stage.replay(resume)
        #expect(stage.core.standing.state == .syncing, "one shard has yet to obey")
        let head = stage.mark(9)
        stage.perform { core, now, actions in
            core.shardApplied(ShardIndex(1), mark: head, now: now, into: &actions)
        }
        #expect(stage.core.standing.state == .live)
        #expect(stage.core.standing.leaseLeft(at: stage.now) == .seconds(3))
    }

    /// Each shard had its own place; the node's was the least of them.
    @Test func aShardAheadOfItsNodeAcknowledgesNothingForTheOthers() throws {
        var stage = try stage(reached: 5, head: 9)
        stage.slowShards = [0, 1]
        let resume = try #require(Sent.resumes(in: join(&stage)).first)
        let (ahead, head) = (stage.mark(7), stage.mark(9))
        var actions = stage.perform { core, now, actions in
            core.shardApplied(ShardIndex(1), mark: ahead, now: now, into: &actions)
        }
        #expect(Sent.acks(in: actions).isEmpty)
        #expect(stage.core.applied == stage.mark(5))
        #expect(stage.replay(resume).applied.first?.mark == stage.mark(6))
        actions = stage.perform { core, now, actions in
            core.shardApplied(ShardIndex(1), mark: head, now: now, into: &actions)
            core.shardApplied(ShardIndex(0), mark: head, now: now, into: &actions)
        }
        #expect(Sent.acks(in: actions) == [head])
    }

    @Test func recordsThatArriveBeforeTheWelcomeAreHeldOrObeyedInOrder() throws {
        var stage = try stage(reached: 5, head: 9)
        stage.start()
        #expect(stage.live(7...8).applied.isEmpty)
        #expect(stage.live(6...6).applied == Array(stage.records[5...7]))
        stage.heartbeat()
        let resume = try #require(Sent.resumes(in: stage.welcome()).first)
        #expect(resume.after == stage.mark(8))
    }

    // MARK: - A log that was trimmed

    @Test func touchedScopesAreRequestedAndOtherEntriesAreShownAgain() throws {
        var stage = try stage(reached: 5, head: 9)
        let question = try #require(Sent.of(.resume, in: join(&stage)).first)
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(8))
        let forgotten = stage.control { truncated.encode(requestID: question.requestID, into: &$0) }
        #expect(
            forgotten.contains(
                .forget(continueFrom: stage.mark(9), epochChanged: false, isPending: true)))
        let asked = try #require(Sent.of(.floors, in: forgotten).first)
        let request = try asked.frame.withUnsafeBytes {
            try FloorsRequest(decoding: try MessageView(decoding: $0).body)
        }
        #expect(request.applied == stage.mark(5) && request.log == ControlStage.log)

        let part = floors(stage, completeSince: 5)
        let settled = stage.control { part.encode(requestID: asked.requestID, into: &$0) }
        #expect(settled.contains(.settle(touched: TouchedScopes(), from: stage.mark(9))))
        #expect(settled.reports == [.floorsLearned(since: stage.mark(5).position)])
    }

    @Test func entriesStayHiddenWhenFloorsAreIncomplete() throws {
        var stage = try stage(reached: 5, head: 9)
        let question = try #require(Sent.of(.resume, in: join(&stage)).first)
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(8))
        let forgotten = stage.control { truncated.encode(requestID: question.requestID, into: &$0) }
        let asked = try #require(Sent.of(.floors, in: forgotten).first)
        let part = floors(stage, completeSince: 6)
        let settled = stage.control { part.encode(requestID: asked.requestID, into: &$0) }
        #expect(settled.contains(.settle(touched: nil, from: stage.mark(9))))
    }

    /// The publisher was restarted before it answered.
    @Test func floorsAreRequestedAgainAfterTheNextWelcome() throws {
        var stage = try stage(reached: 5, head: 9)
        let question = try #require(Sent.of(.resume, in: join(&stage)).first)
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(8))
        let forgotten = stage.control { truncated.encode(requestID: question.requestID, into: &$0) }
        #expect(Sent.types(in: forgotten).contains(.floors))
        #expect(
            Sent.types(in: stage.error(.notRegistered, "say HELLO first", to: 0)) == [.hello])
        for _ in 0..<100 {
            let deadline = try #require(stage.core.nextDeadline)
            #expect(deadline > stage.now, "a deadline that has passed would spin")
            #expect(!Sent.types(in: stage.wait(.milliseconds(20))).contains(.floors))
        }
        #expect(Sent.types(in: stage.welcome()).contains(.floors))
    }

    // MARK: - Another log

    @Test func anotherLogIsForgottenForOnceThePublisherSaysSo() throws {
        var stage = try stage(reached: 5, head: 9) {
            $0.records = []
            $0.logID = LogID(8)
        }
        try stage.append(7)
        let own = stage.core.applied
        let welcomed = join(&stage)
        #expect(stage.core.subscriber.isDiverged && stage.core.subscriber.applied == own)
        let question = try #require(Sent.of(.resume, in: welcomed).first)
        #expect(Sent.resumes(in: welcomed).first?.log == ControlStage.log)
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(1))
        let answered = stage.control { truncated.encode(requestID: question.requestID, into: &$0) }
        #expect(
            answered.contains(
                .forget(continueFrom: stage.head, epochChanged: false, isPending: false)))
        #expect(Sent.of(.floors, in: answered).isEmpty)
        #expect(stage.core.standing.log == LogID(8))
    }

    @Test func aLaterEpochIsForgottenForAtOnce() throws {
        var stage = try stage(reached: 5, head: 9) {
            $0.records = []
            $0.epoch = Epoch(2)
        }
        try stage.append(3)
        let own = stage.core.applied
        stage.start()
        let heard = stage.heartbeat()
        #expect(
            heard.contains(
                .forget(continueFrom: stage.head, epochChanged: true, isPending: false)))
        let hello = try #require(Sent.hellos(in: heard).first)
        #expect(hello.log == ControlStage.log && hello.applied == own, "said as it was heard")
        #expect(!stage.welcome().forgets)
    }

    /// As for one that slept: it is a contradiction until the publisher opens an epoch.
    @Test func aPlaceBeyondTheHeadIsDoubtedUntilAnEpochSettlesIt() throws {
        var stage = try stage(reached: 9, head: 7)
        let own = stage.core.applied
        let welcomed = join(&stage)
        #expect(!welcomed.forgets && welcomed.applied.isEmpty)
        let ping = try #require(Sent.pings(in: welcomed).first)
        #expect(ping.applied == own)
        stage.configuration()
        #expect(stage.core.subscriber.isDiverged && stage.core.subscriber.applied == own)
        let question = try #require(Sent.of(.resume, in: welcomed).first)
        stage.pong(to: ping)
        #expect(stage.core.standing.leaseLeft(at: stage.now) == .zero)
        let truncated = Truncated(log: stage.logID, head: stage.head, tail: SequenceNumber(1))
        #expect(
            !stage.control { truncated.encode(requestID: question.requestID, into: &$0) }.forgets)

        stage.records = []
        stage.epoch = Epoch(2)
        #expect(
            stage.heartbeat().contains(
                .forget(continueFrom: stage.head, epochChanged: true, isPending: false)))
    }

    /// The same place, and other records before it: a tail was lost and its numbers used again.
    @Test func anotherDigestAtItsPlaceIsDoubted() throws {
        var stage = try stage(reached: 5, head: 5) { $0.records = [] }
        try stage.append(5, word: "u")
        let welcomed = join(&stage)
        #expect(!welcomed.forgets)
        #expect(stage.core.subscriber.isDiverged && Sent.types(in: welcomed).contains(.resume))
    }

    // MARK: - Lives

    @Test func anAwaitedWelcomeNamesThePreviousIncarnationFirst() throws {
        var stage = try stage(reached: 5, head: 9)
        #expect(join(&stage).first == .lives(previous: Incarnation(41)))
        var fresh = try ControlStage()
        try fresh.append(5)
        fresh.heartbeat()
        let welcomed = fresh.welcome()
        #expect(welcomed.first == .lives(previous: .none))
        #expect(welcomed.forgets)
        #expect(!fresh.welcome().contains(.lives(previous: .none)), "nobody asked")
    }
}
