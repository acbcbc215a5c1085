package import CacheModel
import DequeModule

/// What stands between those who record spans and the collector that takes them: a queue with an
/// end, and the rule of when a batch of it is sent, sent again, and given up.
///
///     recorded ─▶ resting ─▶ gathering ─▶ sending ─▶ taken, refused: the next, or resting
///                               ▲            │
///                               └─ pausing ◀─┘ later: again after a pause, a few times
///
/// One shell calls it, under a lock: it says what happened, and does what it is answered. One batch
/// is on its way at a time. Nobody who records a span ever waits for it: a span for which there is
/// no room is counted and forgotten, and so is one that the collector did not take. So a collector
/// that is away, slow or full costs ``SpanLimits/spansMax`` spans of memory, and no request waits.
///
/// It reads no clock and draws no numbers: both are handed in.
package struct SpanOutbox: Sendable {
    /// What the shell does next.
    package enum Step: Equatable, Sendable {
        /// Sends these, and says what came of it by ``SpanOutbox/answered(_:at:draw:)``.
        case send([SpanRecord])
        /// Comes back at this moment by ``SpanOutbox/woken(at:)``.
        case wake(Instant)
        /// Nothing is left to be done, ever.
        case end
    }

    private enum State {
        case resting
        /// There are spans, and others may come to go with them.
        case gathering(until: Instant)
        case sending([SpanRecord], attempt: Int)
        case pausing([SpanRecord], attempt: Int, until: Instant)
        case ended
    }

    private var state = State.resting
    private var queue = Deque<SpanRecord>()
    /// Whether what is left goes at once, and nothing is tried again.
    private var isEnding = false
    package private(set) var figures = SpanFigures()
    private var news = CollectorNews()

    package init() {}

    /// Spans that are held, also those on their way.
    package var heldCount: Int {
        switch state {
        case .sending(let batch, _), .pausing(let batch, _, _): queue.count + batch.count
        case .resting, .gathering, .ended: queue.count
        }
    }

    /// Somebody has recorded a span.
    package mutating func recorded(_ span: SpanRecord, at now: Instant) -> Step? {
        if case .ended = state {
            figures.lose(1, .dropped)
            return nil
        }
        guard queue.count < SpanLimits.spansMax else {
            figures.lose(1, .dropped)
            return nil
        }
        queue.append(span)
        switch state {
        case .resting:
            let end = now.advanced(by: SpanLimits.gatheringTime)
            state = .gathering(until: end)
            return .wake(end)
        case .gathering where queue.count >= SpanLimits.batchSpansMax: return next(at: now)
        case .gathering, .sending, .pausing, .ended: return nil
        }
    }

    /// There was no room for spans before they came here.
    package mutating func lose(_ count: Int) { figures.lose(count, .dropped) }

    /// A moment has come that was asked for; or it was asked for earlier and has lost its meaning.
    package mutating func woken(at now: Instant) -> Step? {
        switch state {
        case .gathering(let end) where end <= now: return next(at: now)
        case .pausing(let batch, let attempt, let end) where end <= now:
            state = .sending(batch, attempt: attempt + 1)
            return .send(batch)
        case .resting, .gathering, .sending, .pausing, .ended: return nil
        }
    }

    /// What came of the batch that was sent.
    ///
    /// - Parameter draw: a random number, so that many gateways do not come back together.
    package mutating func answered(
        _ answer: CollectorAnswer, at now: Instant, draw: UInt64
    ) -> Step? {
        guard case .sending(let batch, let attempt) = state else { return nil }
        switch answer {
        case .taken(let refusedCount):
            let refused = min(refusedCount, batch.count)
            figures.exported &+= UInt64(batch.count - refused)
            if refused > 0 {
                figures.lose(refused, .refused)
                news.hears("it refused some of them")
            }
            return next(at: now)
        case .refused(let reason):
            figures.lose(batch.count, .refused)
            news.hears(reason)
            return next(at: now)
        case .later(let reason, let after):
            news.hears(reason)
            guard !isEnding else { return end(losing: batch.count) }
            guard attempt < SpanLimits.attemptsMax else {
                figures.lose(batch.count, .failed)
                return next(at: now)
            }
            let end = now.advanced(by: Self.pause(after: attempt, asked: after, draw: draw))
            state = .pausing(batch, attempt: attempt, until: end)
            return .wake(end)
        }
    }

    /// No more spans are to be expected: what is left goes now, and only once.
    package mutating func stopping(at now: Instant) -> Step? {
        isEnding = true
        switch state {
        case .resting, .gathering: return next(at: now)
        case .pausing(let batch, let attempt, _):
            state = .sending(batch, attempt: attempt + 1)
            return .send(batch)
        case .sending: return nil
        case .ended: return .end
        }
    }

    /// There was no more time: what is left is lost.
    package mutating func cut() {
        guard case .ended = state else {
            _ = end(losing: heldCount - queue.count)
            return
        }
    }

    /// What is to be said of the collector, once a minute at most; `nil`: nothing.
    package mutating func takeNews(at now: Instant) -> CollectorNews.Line? {
        news.take(at: now, lost: figures.lostCount)
    }

    // MARK: Steps

    private mutating func next(at now: Instant) -> Step? {
        guard !queue.isEmpty else {
            state = isEnding ? .ended : .resting
            return isEnding ? .end : nil
        }
        if case .sending = state, !isEnding, queue.count < SpanLimits.batchSpansMax {
            let end = now.advanced(by: SpanLimits.gatheringTime)
            state = .gathering(until: end)
            return .wake(end)
        }
        let batch = Array(queue.prefix(SpanLimits.batchSpansMax))
        queue.removeFirst(batch.count)
        state = .sending(batch, attempt: 1)
        return .send(batch)
    }

    private mutating func end(losing count: Int) -> Step {
        figures.lose(count + queue.count, .failed)
        queue.removeAll()
        state = .ended
        return .end
    }

    /// Twice as long each time, half of it by chance; no less than the collector asked for, within
    /// reason.
    private static func pause(after attempt: Int, asked: Duration?, draw: UInt64) -> Duration {
        let whole = min(SpanLimits.pauseMin * (1 << (attempt - 1)), SpanLimits.pauseMax)
        let half = whole.wholeNanoseconds / 2
        let pause = Duration.nanoseconds(Int64(half + draw % (half + 1)))
        return max(pause, min(asked ?? .zero, SpanLimits.askedPauseMax))
    }
}
