import CacheModel

extension OriginGate {
    /// Whether a new load is turned away by the breaker. A probe may be any load but a prefetch:
    /// one that readers wait for, or a refresh, at which nobody loses anything.
    ///
    /// - Returns: `nil` if it may wait for its turn; otherwise when to ask again.
    mutating func refusal(of urgency: LoadUrgency, now: Instant) -> Duration? {
        if let retryAfter = breaker.refusal(now: now) { return retryAfter }
        guard !breaker.isClosed else { return nil }
        // A probe goes at once or not at all: what is still there from before may fill the limit.
        return urgency != .prefetch && flights.total < limit.max ? nil : DeskLimits.retryAfterMin
    }

    /// Who goes to the origin next; `nil`: nobody, now.
    ///
    /// - Complexity: O(1).
    func nextTurn(now: Instant) -> LoadQueue.Place? {
        guard let policy else { return nil }
        // Where the breaker is not closed nobody waits but a probe that has just come.
        guard breaker.isClosed else { return queue.first }
        guard flights.total < limit.current else { return nil }
        if let oldest = queue.oldest(of: .awaited) {
            return queue.wait(at: oldest, now: now) > Self.waitTarget(policy)
                ? queue.newest(of: .awaited) : oldest
        }
        let unawaited = flights[.refresh] + flights[.prefetch]
        guard unawaited < limit.refreshMax else { return nil }
        if let oldest = queue.oldest(of: .refresh) { return oldest }
        guard flights[.prefetch] < limit.prefetchMax else { return nil }
        return queue.oldest(of: .prefetch)
    }

    /// Whether a turn would be wasted on a load: its time is over, or most of it went by in the
    /// queue and an answer does not come within the rest. In a queue as long as the timeout those
    /// whose turn it is are always such loads; the origin would work for nobody, and stay behind
    /// when the storm is over.
    ///
    /// One that has most of its time left always goes: how long answers take may be out of date.
    func comesTooLate(_ load: Load, now: Instant) -> Bool {
        let left = load.timeLeft(now: now)
        guard left > .zero else { return true }
        guard let typical = answerTime.typical, !load.hasFairTime(now: now) else { return false }
        return left < typical * DeskLimits.answersForATurn
    }

    private static func waitTarget(_ policy: OriginPolicy) -> Duration {
        min(DeskLimits.waitTarget, policy.timeout / DeskLimits.waitPartsOfTimeout)
    }

    /// Who has to go because more wait than may: the newest of the least urgent. `nil`: nobody.
    ///
    /// One that rests counts, but is never sent away; it was let in when there was room.
    var placeTooMany: LoadQueue.Place? {
        guard let policy, queue.count > policy.queueMax else { return nil }
        return queue.leastUrgent
    }

    /// When a load that is sent away might have got its turn: after all who wait, of whom it is
    /// one still.
    var turnGuess: Duration {
        guard let typical = answerTime.typical else { return DeskLimits.retryAfterUnknown }
        let guess = typical * queue.count / limit.current
        return min(max(guess, DeskLimits.retryAfterMin), DeskLimits.retryAfterGuessMax)
    }

    /// For how long a load rests before its next attempt; `nil`: it gets none.
    ///
    /// It gets one if the outcome is worth it, its policy and the budget allow it, it is more than
    /// a prefetch, the origin is not left alone, there is room to wait, and an answer as slow as
    /// they are would still come in time. To what the origin asked for, chance is added: or all
    /// that it sent away would come back at once.
    mutating func rest(
        of load: Load, after verdict: AttemptVerdict, now: Instant, _ jitter: inout Jitter
    ) -> Duration? {
        guard let policy, verdict.isWorthAnother, load.urgency != .prefetch, breaker.isClosed,
            load.attemptCount <= policy.retriesMax, queue.count < policy.queueMax
        else { return nil }
        let restMax = RetryBudget.restMax(afterAttempts: load.attemptCount)
        let rest = (verdict.retryAfter ?? .zero) + jitter.upTo(restMax)
        let answeredAt = now.advanced(by: rest + (answerTime.typical ?? .zero))
        guard answeredAt < load.deadline, budget.spend() else { return nil }
        return rest
    }
}
