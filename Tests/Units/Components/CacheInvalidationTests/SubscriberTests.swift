import CacheModel
import CacheWire
import Testing
import TestSupport

@testable import CacheInvalidation

@Suite struct SubscriberTests {
    let log: SampleLog

    init() throws {
        log = try SampleLog(count: 12)
    }

    @Test func recordsThatFollowAreAppliedAtOnce() {
        var subscriber = log.subscriber(at: 4)
        #expect(subscriber.received(log[5...6]) == [.apply(log[5...6])])
        #expect(subscriber.received([log[7]]) == [.apply([log[7]])])
        #expect(subscriber.applied == log.mark(7))
        #expect(subscriber.isAtHead)
    }

    @Test func aGapAsksForReplayAndHoldsWhatFollows() {
        var subscriber = log.subscriber(at: 4)
        #expect(subscriber.received([log[5]]) == [.apply([log[5]])])
        // 6 is missing.
        #expect(
            subscriber.received([log[7]]) == [.requestReplay(after: log.mark(5), log: log.id)])
        #expect(subscriber.missingCount == 1)
        #expect(subscriber.received([log[8]]) == [])
        #expect(subscriber.heldCount == 2)

        let closing = subscriber.receivedReplay(log[6...7], head: log.mark(8))
        #expect(closing == [.apply(log[6...8])])
        #expect(subscriber.isAtHead)
        #expect(subscriber.applied == log.mark(8))
    }

    @Test func duplicatesAreIgnored() {
        var subscriber = log.subscriber(at: 0)
        _ = subscriber.received(log[1...5])
        #expect(subscriber.received(log[2...5]) == [])
        #expect(subscriber.received(log[4...6]) == [.apply([log[6]])])
        #expect(subscriber.receivedReplay(log[1...6], head: log.mark(6)) == [])
        #expect(subscriber.isAtHead)
    }

    /// All 120 arrival orders of five records, not a lucky few, each after a heartbeat or without.
    @Test(arguments: permutations(of: [1, 2, 3, 4, 5]))
    func everyArrivalOrderAppliesEachOnceAndInOrder(order: [Int]) {
        for replayAfter in 0...5 {
            var subscriber = log.subscriber(at: 0)
            var applied: [SealedRecord] = []
            for (index, number) in order.enumerated() {
                let actions = subscriber.received([log[number]])
                applied += records(of: actions)
                if index + 1 == replayAfter {
                    let missed = Array(
                        log[1...5].drop { $0.position <= subscriber.applied.position })
                    applied += records(
                        of: subscriber.receivedReplay(missed, head: log.mark(5)))
                }
            }
            #expect(applied == log[1...5])
            #expect(subscriber.isAtHead)
        }
    }

    /// Whichever of six is lost, one heartbeat and its replay bring it back.
    @Test(arguments: 1...6)
    func anyOneLostOfSixIsFoundByAHeartbeat(lost: Int) {
        for asksAreLost in 0...2 {
            var subscriber = log.subscriber(at: 0)
            var applied: [SealedRecord] = []
            for number in 1...6 where number != lost {
                applied += records(of: subscriber.received([log[number]]))
            }
            #expect(applied == (lost == 1 ? [] : log[1...(lost - 1)]))
            for _ in 0...asksAreLost {
                #expect(
                    subscriber.receivedHeartbeat(log: log.id, head: log.mark(6))
                        == [.requestReplay(after: log.mark(lost - 1), log: log.id)])
            }
            applied += records(of: subscriber.receivedReplay([log[lost]], head: log.mark(6)))
            #expect(applied == log[1...6])
            #expect(subscriber.isAtHead)
            #expect(subscriber.receivedHeartbeat(log: log.id, head: log.mark(6)) == [])
        }
    }

    @Test func aLossAtTheEndIsFoundByTheHeartbeatAlone() {
        var subscriber = log.subscriber(at: 9)
        #expect(
            subscriber.receivedHeartbeat(log: log.id, head: log.mark(12))
                == [.requestReplay(after: log.mark(9), log: log.id)])
        #expect(subscriber.isRecovering)
        #expect(subscriber.missingCount == 3)
        #expect(
            subscriber.receivedReplay(log[10...12], head: log.mark(12))
                == [.apply(log[10...12])])
        #expect(subscriber.isAtHead)
    }

    @Test func tenThousandMissedRecordsAreReplayedInChunks() throws {
        let long = try SampleLog(count: 10_000)
        var subscriber = long.subscriber(at: 0)
        var actions = subscriber.receivedHeartbeat(log: long.id, head: long.head)
        var applied: [SealedRecord] = []
        var requestCount = 0
        while case .requestReplay(let mark, _) = actions.last {
            requestCount += 1
            actions = subscriber.receivedReplay(long.replay(after: mark), head: long.head)
            applied += records(of: actions)
        }
        #expect(requestCount == 3)
        #expect(applied == long.records)
        #expect(subscriber.isAtHead)
    }

    @Test func aReplayThatBringsNothingIsNotAskedForInALoop() {
        var subscriber = log.subscriber(at: 4)
        _ = subscriber.receivedHeartbeat(log: log.id, head: log.mark(6))
        #expect(subscriber.receivedReplay([], head: log.mark(6)) == [])
        #expect(subscriber.isRecovering)
        #expect(
            subscriber.receivedHeartbeat(log: log.id, head: log.mark(6))
                == [.requestReplay(after: log.mark(4), log: log.id)])
    }

    // MARK: - Bounds

    @Test func whatCannotBeHeldIsReplayedAndNothingIsForgotten() throws {
        let long = try SampleLog(count: 5_000)
        var subscriber = long.subscriber(at: 0)
        var actions = subscriber.received(Array(long.records.dropFirst()))
        #expect(actions == [.requestReplay(after: long.mark(0), log: long.id)])
        #expect(subscriber.heldCount == SubscriberLimits.heldMax)

        actions = subscriber.receivedReplay([long[1]], head: long.head)
        #expect(
            actions == [
                .apply(long[1...4_097]), .requestReplay(after: long.mark(4_097), log: long.id),
            ])
        actions = subscriber.receivedReplay(long[4_098...5_000], head: long.head)
        #expect(actions == [.apply(long[4_098...5_000])])
        #expect(subscriber.isAtHead)
    }

    @Test func heldRecordsAreBoundedInBytesToo() {
        var held = HeldRecords()
        let large = (2...200).map { number in
            SealedRecord(
                record: log[12].record.at(UInt64(number)),
                bytes: Array(repeating: 0, count: 65_536),
                digest: LogDigest(UInt64(number)))
        }
        for record in large { held.hold(record) }
        #expect(held.count == SubscriberLimits.heldBytesMax / 65_536)
        #expect(held.first?.position.sequence == SequenceNumber(2))
    }

    // MARK: - Divergence

    @Test func aRecordThatDoesNotFollowByDigestDiverges() throws {
        let other = try SampleLog(count: 12, word: "other")
        var subscriber = log.subscriber(at: 0)
        _ = subscriber.received(log[1...5])
        #expect(
            subscriber.received([other[6]])
                == [.requestReplay(after: log.mark(5), log: log.id)])
        #expect(subscriber.isDiverged)
        // Nothing is taken from the stream meanwhile, not even what would follow.
        #expect(subscriber.received([log[6]]) == [])
        #expect(subscriber.applied == log.mark(5))
    }

    @Test func numbersUsedAgainForOtherRecordsDiverge() throws {
        let other = try SampleLog(count: 12, word: "other")
        for number in 1...5 {
            var subscriber = log.subscriber(at: 0)
            _ = subscriber.received(log[1...5])
            _ = subscriber.received([other[number]])
            #expect(subscriber.isDiverged, "record \(number)")

            subscriber = log.subscriber(at: 0)
            _ = subscriber.received(log[1...5])
            #expect(
                subscriber.receivedHeartbeat(log: log.id, head: other.mark(number))
                    == [.requestReplay(after: log.mark(5), log: log.id)])
            #expect(subscriber.isDiverged, "head \(number)")
        }
    }

    @Test func aHeldRecordThatDoesNotFollowDiverges() throws {
        let other = try SampleLog(count: 12, word: "other")
        var subscriber = log.subscriber(at: 4)
        _ = subscriber.received([other[6]])
        let actions = subscriber.receivedReplay([log[5]], head: log.mark(6))
        #expect(actions == [.apply([log[5]])])
        #expect(subscriber.isDiverged)
    }

    @Test func onlyAHeadThatStaysBehindMarksTheSubscriberAsDiverged() {
        var subscriber = log.subscriber(at: 0)
        _ = subscriber.received(log[1...5])
        #expect(subscriber.receivedHeartbeat(log: log.id, head: log.mark(3)) == [])
        #expect(subscriber.receivedHeartbeat(log: log.id, head: log.mark(4)) == [])
        #expect(subscriber.receivedHeartbeat(log: log.id, head: log.mark(5)) == [])
        #expect(subscriber.isAtHead)

        #expect(subscriber.receivedHeartbeat(log: log.id, head: log.mark(3)) == [])
        #expect(
            subscriber.receivedHeartbeat(log: log.id, head: log.mark(3))
                == [.requestReplay(after: log.mark(5), log: log.id)])
        #expect(subscriber.isDiverged)
    }

    @Test func anotherLogDivergesUntilThePublisherGivesItUp() throws {
        let other = try SampleLog(id: 8, epoch: 2, count: 3)
        var subscriber = log.subscriber(at: 5)
        for _ in 1...3 {
            #expect(
                subscriber.receivedHeartbeat(log: other.id, head: other.mark(1))
                    == [.requestReplay(after: log.mark(5), log: log.id)])
        }
        #expect(subscriber.isDiverged)
        let actions = subscriber.receivedTruncated(
            asked: log.mark(5), log: other.id, head: other.mark(1))
        #expect(
            actions == [
                .forget(continueFrom: other.mark(1), log: other.id, cause: .truncated)
            ])
        #expect(subscriber.log == other.id)
        #expect(subscriber.received(other[2...3]) == [.apply(other[2...3])])
        #expect(subscriber.isAtHead)
    }

    @Test func divergenceEndsWhenThePublisherConfirmsThePlace() throws {
        let other = try SampleLog(id: 8, count: 3)
        var subscriber = log.subscriber(at: 5)
        _ = subscriber.receivedHeartbeat(log: other.id, head: other.mark(3))
        #expect(subscriber.isDiverged)
        #expect(subscriber.receivedReplay([], head: log.mark(5)) == [])
        #expect(subscriber.isAtHead)

        _ = subscriber.receivedHeartbeat(log: other.id, head: other.mark(3))
        #expect(subscriber.isDiverged)
        #expect(
            subscriber.receivedReplay(log[6...7], head: log.mark(7)) == [.apply(log[6...7])])
        #expect(subscriber.isAtHead)
    }

    @Test func aDivergedReplayOfAnotherLogConfirmsNothing() throws {
        let other = try SampleLog(count: 12, word: "other")
        var subscriber = log.subscriber(at: 5)
        _ = subscriber.receivedHeartbeat(log: LogID(8), head: other.mark(3))
        #expect(subscriber.receivedReplay(other[6...7], head: other.mark(7)) == [])
        #expect(subscriber.isDiverged)
        #expect(subscriber.applied == log.mark(5))
    }

    // MARK: - Forgetting

    @Test func aFirstWelcomeTakesUpTheLogAtItsHead() {
        var subscriber = Subscriber()
        #expect(subscriber.received(log[4...6]) == [])
        #expect(subscriber.receivedHeartbeat(log: log.id, head: log.mark(6)) == [])
        #expect(subscriber.receivedReplay(log[1...2], head: log.mark(6)) == [])
        #expect(
            subscriber.welcomed(log: log.id, head: log.mark(5)) == [
                .forget(continueFrom: log.mark(5), log: log.id, cause: .firstContact),
                .apply([log[6]]),
            ])
        #expect(subscriber.isAtHead)
    }

    @Test func aGapAmongWhatWasHeldBeforeTheWelcomeIsReplayed() {
        var subscriber = Subscriber()
        _ = subscriber.received([log[8]])
        #expect(
            subscriber.welcomed(log: log.id, head: log.mark(5)) == [
                .forget(continueFrom: log.mark(5), log: log.id, cause: .firstContact),
                .requestReplay(after: log.mark(5), log: log.id),
            ])
        #expect(subscriber.missingCount == 2)
    }

    @Test func aSecondWelcomeInTheSameLogForgetsNothing() {
        var subscriber = log.subscriber(at: 5)
        #expect(subscriber.welcomed(log: log.id, head: log.mark(5)) == [])
        #expect(
            subscriber.welcomed(log: log.id, head: log.mark(7))
                == [.requestReplay(after: log.mark(5), log: log.id)])
    }

    @Test func aTruncatedLogIsForgottenAndBufferedRecordsAreApplied() {
        var subscriber = log.subscriber(at: 2)
        _ = subscriber.received([log[9]])
        #expect(
            subscriber.receivedTruncated(asked: log.mark(2), log: log.id, head: log.mark(8)) == [
                .forget(continueFrom: log.mark(8), log: log.id, cause: .truncated),
                .apply([log[9]]),
            ])
        #expect(subscriber.isAtHead)
    }

    @Test func aReplayThatBeginsLaterThanAskedIsATruncatedOne() {
        var subscriber = log.subscriber(at: 2)
        _ = subscriber.receivedHeartbeat(log: log.id, head: log.mark(6))
        #expect(
            subscriber.receivedReplay(log[5...6], head: log.mark(6)) == [
                .forget(continueFrom: log.mark(4), log: log.id, cause: .truncated),
                .apply(log[5...6]),
            ])
        #expect(subscriber.isAtHead)
    }

    @Test func aTruncatedAnswerAboutAnOlderMarkIsPassedOver() {
        var subscriber = log.subscriber(at: 2)
        _ = subscriber.received(log[3...4])
        #expect(
            subscriber.receivedTruncated(asked: log.mark(2), log: log.id, head: log.mark(8)) == [])
        #expect(subscriber.isAtHead)
        #expect(subscriber.applied == log.mark(4))
    }

    /// Tokens and entries of higher positions are about; a floor below them would hide nothing.
    @Test func aPlaceIsNeverGivenUpForOneThatIsNotAhead() throws {
        let other = try SampleLog(id: 8, count: 12)
        for number in 0...5 {
            var subscriber = log.subscriber(at: 5)
            #expect(
                subscriber.receivedTruncated(
                    asked: log.mark(5), log: other.id, head: other.mark(number)) == [])
            #expect(subscriber.isDiverged)
            #expect(subscriber.applied == log.mark(5))
        }
    }

    @Test func aNewEpochInTheStreamForgetsOnce() throws {
        let next = try SampleLog(epoch: 2, count: 4, after: log.mark(5).digest)
        var subscriber = log.subscriber(at: 5)
        #expect(
            subscriber.received(next[1...2]) == [
                .forget(continueFrom: next.mark(0), log: .none, cause: .newEpoch),
                .apply(next[1...2]),
            ])
        #expect(subscriber.received([next[3]]) == [.apply([next[3]])])
        // What is left of the old epoch is passed over.
        #expect(subscriber.received([log[6]]) == [])

        subscriber = log.subscriber(at: 5)
        #expect(
            subscriber.receivedHeartbeat(log: log.id, head: next.mark(2)) == [
                .forget(continueFrom: next.mark(2), log: log.id, cause: .newEpoch)
            ])
        #expect(subscriber.received(next[1...3]) == [.apply([next[3]])])
    }

    /// A log that was set back goes on under another name, and a record bears no name: whoever
    /// kept the old one would contradict every head, and be contradicted, until the next record.
    @Test func aRecordMayRevealANewEpochOfAnotherLog() throws {
        let other = try SampleLog(id: 8, epoch: 2, count: 4)
        for first in 1...3 {
            var subscriber = log.subscriber(at: 5)
            _ = subscriber.received([other[first]])
            #expect(subscriber.applied == other.mark(first))
            #expect(
                subscriber.receivedHeartbeat(log: other.id, head: other.mark(first)) == [])
            #expect(subscriber.isAtHead && subscriber.log == other.id)

            // Also where the head has gone on meanwhile.
            subscriber = log.subscriber(at: 5)
            _ = subscriber.received([other[first]])
            #expect(
                subscriber.receivedHeartbeat(log: other.id, head: other.head)
                    == [.requestReplay(after: other.mark(first), log: other.id)])
            #expect(
                subscriber.receivedReplay(other[first + 1...4], head: other.head)
                    == [.apply(other[first + 1...4])])
            #expect(subscriber.isAtHead && subscriber.log == other.id)
        }
    }

    @Test func aLateHeartbeatDoesNotNameTheNewLog() throws {
        let other = try SampleLog(id: 8, epoch: 2, count: 2)
        var subscriber = log.subscriber(at: 5)
        _ = subscriber.received([other[1]])
        _ = subscriber.receivedHeartbeat(log: log.id, head: log.mark(5))
        #expect(subscriber.isDiverged)
        #expect(subscriber.receivedHeartbeat(log: other.id, head: other.mark(1)) == [])
        #expect(subscriber.isAtHead && subscriber.log == other.id)
    }

    /// The name is taken from whoever says a head of that epoch; the digests tell whether it was
    /// the same one.
    @Test func aNameThatComesWithAnotherDigestIsContradicted() throws {
        let (one, other) = (
            try SampleLog(id: 8, epoch: 2, count: 2), try SampleLog(id: 9, epoch: 2, count: 2)
        )
        var subscriber = log.subscriber(at: 5)
        _ = subscriber.received([one[1]])
        _ = subscriber.receivedHeartbeat(log: other.id, head: other.mark(1))
        #expect(subscriber.isDiverged && subscriber.applied == one.mark(1))
    }

    @Test func behindTheLastNumberOfAnEpochComesTheNextEpoch() throws {
        let before = LogMark(
            position: .at((1 << 48) - 2), digest: LogDigest(5))
        let last = try Self.record(at: .at((1 << 48) - 1), after: before.digest)
        var subscriber = Subscriber(resuming: log.id, at: before)
        #expect(subscriber.received([last]) == [.apply([last])])
        #expect(subscriber.received([last, log[1]]) == [])
        #expect(subscriber.receivedReplay([last], head: last.mark) == [])
        #expect(subscriber.isAtHead)
        let next = try Self.record(at: .at(1, epoch: 2), after: LogDigest(6))
        let start = LogMark(position: .at(0, epoch: 2), digest: LogDigest(6))
        #expect(
            subscriber.received([next]) == [
                .forget(continueFrom: start, log: .none, cause: .newEpoch), .apply([next]),
            ])
    }

    private static func record(
        at position: LogPosition, after digest: LogDigest
    ) throws -> SealedRecord {
        try SealedRecord(
            sealing: InvalidationRecord(
                position: position, previousDigest: digest, operation: .none, strength: .hard,
                scopes: [Scope(.everything)]))
    }

    @Test func anOlderEpochIsRefused() throws {
        let next = try SampleLog(epoch: 2, count: 4)
        var subscriber = next.subscriber(at: 2)
        #expect(
            subscriber.receivedHeartbeat(log: next.id, head: log.mark(9))
                == [.requestReplay(after: next.mark(2), log: next.id)])
        #expect(subscriber.isDiverged)
    }

    // MARK: - Everything at once

    /// Loses, doubles, reorders and delays at random, then stops: everything is applied once and in
    /// order, and nothing is forgotten.
    @Test(arguments: UInt64(1)...100)
    func noOrderOfArrivalLosesOrDoublesARecord(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var subscriber = log.subscriber(at: 0)
        var applied: [SealedRecord] = []
        for _ in 0..<60 {
            let number = Int(chance.next() % 12) + 1
            var actions: [Subscriber.Action] = []
            switch chance.next() % 4 {
            case 0, 1: actions = subscriber.received([log[number]])
            case 2:
                let head = max(number, Int(subscriber.knownHead.sequence.rawValue))
                actions = subscriber.receivedHeartbeat(log: log.id, head: log.mark(head))
            default:
                let after = min(number, Int(subscriber.applied.position.sequence.rawValue))
                actions = subscriber.receivedReplay(
                    log.replay(after: log.mark(after), limit: 3), head: log.mark(12))
            }
            applied += records(of: actions)
            #expect(!subscriber.isDiverged)
        }
        var actions = subscriber.receivedHeartbeat(log: log.id, head: log.head)
        while case .requestReplay(let mark, _) = actions.last {
            actions = subscriber.receivedReplay(log.replay(after: mark), head: log.head)
            applied += records(of: actions)
        }
        #expect(applied == log.records)
        #expect(subscriber.isAtHead)
    }

    private func records(of actions: [Subscriber.Action]) -> [SealedRecord] {
        actions.flatMap { action in
            switch action {
            case .apply(let run): return run
            case .forget:
                Issue.record("nothing may be forgotten here")
                return []
            case .requestReplay: return []
            }
        }
    }
}

/// Every order of `elements`.
private func permutations(of elements: [Int]) -> [[Int]] {
    guard let first = elements.first else { return [[]] }
    return permutations(of: Array(elements.dropFirst())).flatMap { rest in
        (0...rest.count).map { place in
            Array(rest[..<place]) + [first] + Array(rest[place...])
        }
    }
}

extension InvalidationRecord {
    fileprivate func at(_ number: UInt64) -> InvalidationRecord {
        var copy = self
        copy.position.sequence = SequenceNumber(number)
        return copy
    }
}
