import CacheModel

/// A circuit breaker: stops requests to a failing origin and detects its recovery [1].
///
///               too many failed               the pause is over and a load arrives
///      closed ───────────────────▶ open ─────────────────────────▶ half-open
///        ▲                           ▲        a probe failed            │ │
///        │                           └──────────────────────────────────┘ │
///        └────────────────────────────── three good probes in a row ──────┘
///
/// Too many: of at least ten attempts within ten seconds half failed; or five in a row could not
/// reach the origin, over any length of time, because a quiet namespace must detect that as well.
///
/// The pause doubles, up to eight times the policy's, when the breaker opens out of half-open, or
/// within ten seconds of closing: a slow start that fails is a longer probe.
///
/// [1] Nygard: Release It!, 2007.
struct OriginBreaker {
    enum State: Equatable {
        /// All loads pass. Becomes `open`.
        case closed
        /// No load passes. Becomes `halfOpen` when a load arrives after `until`.
        case open(until: Instant)
        /// One load at a time passes. Becomes `closed` or `open`.
        case halfOpen(goodInARow: Int, probe: AttemptNumber?)
    }

    enum Change: Equatable {
        case opened
        case closed
    }

    private(set) var state = State.closed
    private var window = OutcomeWindow()
    private var unreachableInARow = 0
    /// Doublings of the pause, at the last opening.
    private var doublings = 0
    /// When it last closed; `nil`: it has never been open.
    private var closedAt: Instant?

    var isClosed: Bool { state == .closed }

    /// The remaining pause; `nil`: there is none.
    func pauseLeft(now: Instant) -> Duration? {
        guard case .open(let until) = state else { return nil }
        return until.elapsed(since: now)
    }

    /// Whether a new load is refused.
    ///
    /// - Returns: `nil` if it may wait for a turn; otherwise when to ask again.
    mutating func refusal(now: Instant) -> Duration? {
        if case .open(let until) = state, until <= now {
            state = .halfOpen(goodInARow: 0, probe: nil)
        }
        switch state {
        case .closed, .halfOpen(_, probe: nil): return nil
        case .open: return pauseLeft(now: now)
        case .halfOpen: return OriginSchedulerLimits.retryAfterMin
        }
    }

    /// An attempt was started: in half-open state it is the probe.
    mutating func started(_ attempt: AttemptNumber) {
        guard case .halfOpen(let goodInARow, let probe) = state else { return }
        precondition(probe == nil, "one probe at a time")
        state = .halfOpen(goodInARow: goodInARow, probe: attempt)
    }

    /// An attempt is over; if it was the probe, another may start.
    mutating func landed(_ attempt: AttemptNumber) {
        guard case .halfOpen(let goodInARow, attempt) = state else { return }
        state = .halfOpen(goodInARow: goodInARow, probe: nil)
    }

    /// Counts the outcome of an attempt. Attempts started before the breaker last opened are
    /// ignored.
    ///
    /// - Parameter pause: the policy's.
    /// - Complexity: O(1).
    mutating func heard(
        _ verdict: AttemptVerdict, now: Instant, pause: Duration, _ jitter: inout Jitter
    ) -> Change? {
        switch state {
        case .closed:
            guard note(verdict, now: now) else { return nil }
            open(pause: pause, now: now, &jitter)
            return .opened
        case .open:
            return nil
        case .halfOpen(let goodInARow, let probe):
            switch verdict.health {
            case .unsaid:
                return nil
            case .failed:
                open(pause: pause, now: now, &jitter)
                return .opened
            case .good where goodInARow + 1 < OriginSchedulerLimits.goodProbes:
                state = .halfOpen(goodInARow: goodInARow + 1, probe: probe)
                return nil
            case .good:
                (state, closedAt) = (.closed, now)
                return .closed
            }
        }
    }

    /// - Returns: whether there are now too many failures.
    private mutating func note(_ verdict: AttemptVerdict, now: Instant) -> Bool {
        unreachableInARow = verdict.failure == .unreachable ? unreachableInARow + 1 : 0
        guard verdict.health != .unsaid else { return false }
        window.add(hasFailed: verdict.health == .failed, now: now)
        // Only a failure opens the breaker.
        guard verdict.health == .failed else { return false }
        let sum = window.sum
        return unreachableInARow >= OriginSchedulerLimits.unreachableMax
            || (sum.total >= OriginSchedulerLimits.attemptsMin
                && sum.failed * OriginSchedulerLimits.failedDivisor >= sum.total)
    }

    private mutating func open(pause: Duration, now: Instant, _ jitter: inout Jitter) {
        doublings =
            isReopening(now: now) ? min(doublings + 1, OriginSchedulerLimits.doublingsMax) : 0
        let length = jitter.around(pause * (1 << doublings), by: OriginSchedulerLimits.pauseJitter)
        state = .open(until: now.advanced(by: length))
        window = OutcomeWindow()
        unreachableInARow = 0
    }

    private func isReopening(now: Instant) -> Bool {
        guard state == .closed else { return true }
        guard let closedAt else { return false }
        return now.elapsed(since: closedAt)
            < OriginSchedulerLimits.bucketLength * OriginSchedulerLimits.windowBuckets
    }
}

/// Successes and failures of the last ten seconds, counted per second: the counts cover the last
/// nine to ten seconds.
struct OutcomeWindow {
    struct Tally: Equatable {
        var good = 0
        var failed = 0

        var total: Int { good + failed }
    }

    /// A ring: the index of a second's bucket is that second modulo the number of buckets.
    private var buckets = [Tally](repeating: Tally(), count: OriginSchedulerLimits.windowBuckets)
    private var newest: UInt64 = 0
    private(set) var sum = Tally()

    /// - Complexity: O(buckets).
    mutating func add(hasFailed: Bool, now: Instant) {
        advance(to: now)
        let index = Int(newest % UInt64(buckets.count))
        let path = hasFailed ? \Tally.failed : \Tally.good
        buckets[index][keyPath: path] += 1
        sum[keyPath: path] += 1
    }

    private mutating func advance(to now: Instant) {
        let second = now.nanoseconds / OriginSchedulerLimits.bucketLength.wholeNanoseconds
        guard second > newest else { return }
        for passed in 0..<min(second - newest, UInt64(buckets.count)) {
            let index = Int((second - passed) % UInt64(buckets.count))
            sum.good -= buckets[index].good
            sum.failed -= buckets[index].failed
            buckets[index] = Tally()
        }
        newest = second
    }
}
