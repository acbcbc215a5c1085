import CacheModel

extension OriginGate {
    /// Whether the breaker refuses a new load. A probe may be any load except a prefetch: one that
    /// readers wait for, or a refresh: no reader notices its failure.
    ///
    /// - Returns: `nil` if it may wait for its turn; otherwise when to ask again.
    mutating func refusal(of urgency: LoadUrgency, now: Instant) -> Duration? {
        if let retryAfter = breaker.refusal(now: now) { return retryAfter }
        guard !breaker.isClosed else { return nil }
        // A probe starts at once or not at all: earlier attempts may still fill the limit.
        return urgency != .prefetch && flights.total < limit.max
            ? nil : OriginSchedulerLimits.retryAfterMin
    }

    /// The load that goes to the origin next; `nil`: none at present.
    ///
    /// - Complexity: O(1).
    func nextTurn(now: Instant) -> LoadQueue.Place? {
        guard let policy else { return nil }
        // While the breaker is not closed, the only waiting load is a probe that has just arrived.
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

    /// Whether a turn would be wasted on a load: its time is over, or most of it was spent in the
    /// queue and no answer is expected within the rest. In a queue as long as the timeout every
    /// load is in that state when its turn comes; the origin would work for no reader, and would
    /// stay behind after the overload.
    ///
    /// A load that has most of its time left always goes: the typical answer time may be outdated.
    func comesTooLate(_ load: Load, now: Instant) -> Bool {
        let left = load.timeLeft(now: now)
        guard left > .zero else { return true }
        guard let typical = typicalAnswer, !load.hasFairTime(now: now) else { return false }
        return left < typical * OriginSchedulerLimits.answersForATurn
    }

    private static func waitTarget(_ policy: OriginPolicy) -> Duration {
        min(
            OriginSchedulerLimits.waitTarget,
            policy.timeout / OriginSchedulerLimits.waitPartsOfTimeout)
    }

    /// The load to refuse because too many wait: the newest of the least urgent. `nil`: none.
    ///
    /// Resting loads count, but are never refused; they were accepted while there was space.
    var placeTooMany: LoadQueue.Place? {
        guard let policy, queue.count > policy.queueMax else { return nil }
        return queue.leastUrgent
    }

    /// When a refused load might have got its turn: after all waiting loads, of which it is still
    /// one.
    var turnGuess: Duration {
        guard let typical = typicalAnswer else {
            return OriginSchedulerLimits.retryAfterUnknown
        }
        let guess = typical * queue.count / limit.current
        return min(
            max(guess, OriginSchedulerLimits.retryAfterMin),
            OriginSchedulerLimits.retryAfterGuessMax)
    }

    /// How long a load backs off before its next attempt; `nil`: it gets none.
    ///
    /// It gets one if the outcome is worth it, its policy and the budget permit it, it is more than
    /// a prefetch, the breaker is closed, there is space to wait, and an answer of typical duration
    /// would still arrive in time. Jitter is added to the origin's Retry-After: otherwise all loads
    /// that it refused would return at once.
    mutating func rest(
        of load: Load, after verdict: AttemptVerdict, now: Instant, _ jitter: inout Jitter
    ) -> Duration? {
        guard let policy, verdict.isWorthAnother, load.urgency != .prefetch, breaker.isClosed,
            load.attemptCount <= policy.retriesMax, queue.count < policy.queueMax
        else { return nil }
        let restMax = RetryBudget.restMax(afterAttempts: load.attemptCount)
        let rest = (verdict.retryAfter ?? .zero) + jitter.upTo(restMax)
        let answeredAt = now.advanced(by: rest + (typicalAnswer ?? .zero))
        guard answeredAt < load.deadline, budget.spend() else { return nil }
        return rest
    }
}
