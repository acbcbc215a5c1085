import CacheMemory
import CacheModel
import Testing

@testable import CacheNodeCore

/// How far a shard has applied its log, and the stamps of that.
@Suite struct LogFollowerTests {
    private static let now = Instant(nanoseconds: 1_000_000_000_000)

    private static func mark(_ epoch: UInt32, _ sequence: UInt64) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence)),
            digest: LogDigest(UInt64(epoch) << 32 | sequence))
    }

    /// Follows epoch 1 of a log, applied up to 10.
    private static var follower: LogFollower {
        var log = LogFollower(isStartAwaited: false)
        _ = log.forget(continuingFrom: mark(1, 0), of: LogID(1), isPending: false, now: now)
        log.apply(mark(1, 10))
        log.finishApplying(now: now.advanced(by: .milliseconds(200)))
        return log
    }

    // MARK: Stamps

    @Test func positionsAndStampsOfTheAdoptedEpochAreOneAnothers() {
        let log = Self.follower
        let position = Self.mark(1, 7).position
        #expect(log.position(of: log.stamp(of: position)) == position)
        #expect(log.stamp(of: Self.mark(1, 10).position) == log.appliedStamp)
        #expect(log.stamp(of: Self.mark(2, 7).position) == .none, "it has no order here")
    }

    @Test func whatIsStoredAfterAGapIsAboveEverythingBefore() {
        var log = Self.follower
        let before = log.appliedStamp
        let hidden = log.forget(
            continuingFrom: Self.mark(2, 3), of: LogID(2), isPending: false, now: Self.now)
        #expect(hidden == log.appliedStamp && before < hidden)
        #expect(log.id == LogID(2) && log.applied == Self.mark(2, 3))
        #expect(log.position(of: before) == .none)
    }

    @Test func onceStampsAreExhaustedEverythingIsHiddenForGood() {
        var log = Self.follower
        while log.stepOn() {}
        #expect(log.isExhausted)
        let hidden = log.forget(
            continuingFrom: Self.mark(2, 3), of: LogID(2), isPending: false, now: Self.now)
        #expect(hidden == .last && log.appliedStamp < .last)
    }

    @Test func aTokenOfAnotherEpochIsRefusedByItsSide() {
        let log = Self.follower
        func token(_ epoch: UInt32) -> FillToken {
            FillToken(position: Self.mark(epoch, 7).position, incarnation: .none, nonce: 0)
        }
        #expect(log.refusal(of: token(0)) == .tokenTooOld)
        #expect(log.refusal(of: token(1)) == nil)
        #expect(log.refusal(of: token(2)) == .behind)
    }

    @Test func thePastIsAStampNoHigherThanNow() {
        var log = Self.follower
        let later = Self.now.advanced(by: .seconds(5))
        log.apply(Self.mark(1, 20))
        log.finishApplying(now: later)
        #expect(log.stamp(at: later, before: .seconds(1)) == log.stamp(at: SequenceNumber(10)))
        #expect(log.stamp(at: later, before: .zero) == log.appliedStamp)
        #expect(log.stamp(at: later, before: .seconds(60)) == .none, "that is not known")
    }

    // MARK: Gaps

    @Test func aGapIsSettledOnceAndOnlyByItsOwnReport() {
        var log = Self.follower
        func forget(_ mark: LogMark, isPending: Bool) {
            _ = log.forget(continuingFrom: mark, of: LogID(1), isPending: isPending, now: Self.now)
        }
        func settle(_ sequence: UInt64) -> Bool { log.settle(from: Self.mark(1, sequence)) }
        forget(Self.mark(1, 20), isPending: true)
        #expect([19, 20, 20].map(settle) == [false, true, false])
        forget(Self.mark(1, 30), isPending: true)
        forget(Self.mark(1, 40), isPending: false)
        #expect([30, 40].map(settle) == [false, false])
        forget(Self.mark(1, 50), isPending: true)
        log.stopPending()
        #expect(!settle(50))
    }

    // MARK: Starts

    @Test func aShardThatWasElsewhereStartsWhereItsNodeDoes() {
        var log = LogFollower(isStartAwaited: true)
        log.recover(LogID(1), at: Self.mark(1, 10), now: Self.now)
        #expect(log.isStartAwaited)
        let wasElsewhere = log.resume(at: Self.mark(1, 8), now: Self.now)
        #expect(wasElsewhere && !log.isStartAwaited)
        #expect(log.applied == Self.mark(1, 8) && log.id == LogID(1))
        #expect(log.history.reachesIntoEarlierLife(.seconds(1), before: Self.now))
    }

    @Test func aNewNodesShardForgetsTheLogOfItsDisk() {
        var log = LogFollower(isStartAwaited: true)
        log.recover(LogID(1), at: Self.mark(1, 10), now: Self.now)
        let wasElsewhere = log.resume(at: nil, now: Self.now)
        #expect(wasElsewhere && log.applied == .none && log.id == .none)
    }

    @Test func aShardThatIsThereAlreadyStaysThere() {
        var log = LogFollower(isStartAwaited: true)
        var wasElsewhere = log.resume(at: Self.mark(1, 8), now: Self.now)
        #expect(!wasElsewhere, "it has nothing to go back from")
        #expect(log.applied == .none && !log.isStartAwaited)
        log.recover(LogID(1), at: Self.mark(1, 10), now: Self.now)
        wasElsewhere = log.resume(at: Self.mark(1, 10), now: Self.now)
        #expect(!wasElsewhere)
    }

    @Test func eachRequestForTheHeadHasItsNumber() {
        var log = Self.follower
        #expect((0..<2).map { _ in log.nextHeadRequest() } == [1, 2])
        #expect(log.headRequest == 2)
    }
}
