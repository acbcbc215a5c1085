import CacheClientCore
import CacheModel
import Testing

@Suite struct RetryScheduleTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)
    private static let deadline = start.advanced(by: .seconds(5))

    private func schedule(_ effect: RetrySchedule.Effect) -> RetrySchedule {
        RetrySchedule(effect, deadline: Self.deadline, seed: 42)
    }

    @Test func aStoreThatWasSentIsNeverSentAgain() {
        var store = schedule(.onceOnly)
        #expect(store.attemptEnd(from: Self.start) == Self.deadline)
        #expect(store.failed(.silent, at: Self.start) == .giveUp)
        #expect(store.failed(.behind, at: Self.start) == .giveUp)
    }

    @Test func aStoreThatWasCertainlyNotDoneIsSentAgain() {
        var store = schedule(.onceOnly)
        #expect(store.failed(.deferred, at: Self.start) == .again(at: Self.start))
        #expect(store.failed(.busy(retryAfter: nil), at: Self.start) != .giveUp)
    }

    @Test(arguments: [RetrySchedule.Effect.read, .repeatable])
    func silenceIsAskedAgainWithMorePatienceEachTime(effect: RetrySchedule.Effect) {
        var schedule = schedule(effect)
        var now = Self.start
        var attempts = 0
        while case .again(let at) = schedule.failed(.silent, at: now) {
            #expect(at == now)
            now = schedule.attemptEnd(from: now)
            attempts += 1
        }
        #expect(now == Self.deadline)
        #expect(attempts == 2, "two and four seconds, of which five are left")
    }

    @Test func busyIsAnsweredWithPausesThatGrowAndNeverPassTheDeadline() {
        var schedule = schedule(.read)
        var now = Self.start
        var pauses: [Duration] = []
        while case .again(let at) = schedule.failed(.busy(retryAfter: nil), at: now) {
            pauses.append(at.elapsed(since: now))
            #expect(at < Self.deadline)
            now = at
        }
        #expect(pauses[0] >= ClientLimits.backOffFirst / 2)
        #expect(pauses.allSatisfy { $0 > .zero && $0 <= ClientLimits.backOffMax })
        #expect((pauses.last ?? .zero) >= ClientLimits.backOffMax / 2)
        #expect((20...100).contains(pauses.count))
    }

    /// An attempt in the last moment goes unanswered, and nobody knows then whether it was done.
    @Test(arguments: [RetrySchedule.Effect.onceOnly, .repeatable])
    func theLastAttemptAtAChangeHasTimeForItsAnswer(effect: RetrySchedule.Effect) {
        for seed in UInt64(0)..<500 {
            for start in [Duration.zero, .milliseconds(4_700), .milliseconds(4_990)] {
                var schedule = RetrySchedule(effect, deadline: Self.deadline, seed: seed)
                var now = Self.start.advanced(by: start)
                while case .again(let at) = schedule.failed(.busy(retryAfter: nil), at: now) {
                    let pause = at.elapsed(since: now)
                    #expect(Self.deadline.elapsed(since: at) > min(pause, ClientLimits.wayBackMin))
                    now = at
                }
                let left = Self.deadline.elapsed(since: now)
                #expect(left <= ClientLimits.backOffMax * 2, "it is not given up early either")
                #expect(now > Self.start.advanced(by: start), "nor at the first refusal")
            }
        }
    }

    @Test func aRequestedPauseMustLeaveTimeForAReply() {
        var store = schedule(.onceOnly)
        #expect(
            store.failed(.busy(retryAfter: .milliseconds(4_749)), at: Self.start)
                == .again(at: Self.start.advanced(by: .milliseconds(4_749))))
        #expect(store.failed(.busy(retryAfter: .milliseconds(4_750)), at: Self.start) == .giveUp)
    }

    @Test func aRetryFollowsRetryAfterWithinItsDeadline() {
        var schedule = schedule(.read)
        #expect(
            schedule.failed(.busy(retryAfter: .seconds(2)), at: Self.start)
                == .again(at: Self.start.advanced(by: .seconds(2))))
        #expect(schedule.failed(.busy(retryAfter: .seconds(6)), at: Self.start) == .giveUp)
    }

    @Test func nothingIsAskedAgainAfterTheDeadline() {
        for failure in [RetrySchedule.Failure.deferred, .silent, .behind, .busy(retryAfter: nil)] {
            var schedule = schedule(.read)
            #expect(schedule.failed(failure, at: Self.deadline) == .giveUp)
        }
    }

    @Test(arguments: [
        (0, 1), (1, 1), (2, 1), (100, 50), (500, 250), (1_000, 750), (5_000, 4_500),
    ])
    func theHoldTimeOfAMessageLeavesTimeForItsReply(patience: Int64, keeping: UInt32) {
        #expect(
            RetrySchedule.keepingMilliseconds(patience: .milliseconds(patience)) == keeping)
    }
}
