package import CacheModel
import DequeModule

/// A bounded queue of recorded spans for a collector. It decides when to send a batch, when to
/// retry it, and when to give it up.
///
///     recorded ─▶ resting ─▶ gathering ─▶ sending ─▶ taken, refused: the next, or resting
///                               ▲            │
///                               └─ pausing ◀─┘ later: again after a pause, a few times
///
/// One shell calls it, under a lock: it passes events and performs the returned steps. One batch is
/// in flight at a time. Recording a span never waits: if the queue is full, the span is counted and
/// dropped. A span that the collector does not accept is counted and dropped, too. So a collector
/// that is down, slow or full costs the memory of ``SpanLimits/spansMax`` spans and one batch, and
/// no request waits.
///
/// It reads no clock and uses no randomness: the caller passes both.
package struct SpanOutbox: Sendable {
    /// What the shell does next.
    package enum Step: Equatable, Sendable {
        /// Send these, and pass the outcome to ``SpanOutbox/answered(_:at:draw:)``.
        case send([SpanRecord])
        /// Call ``SpanOutbox/woken(at:)`` at this moment.
        case wake(Instant)
        /// Nothing is left to do, ever.
        case end
    }

    private enum State {
        case resting
        /// There are spans, and others may join their batch.
        case gathering(until: Instant)
        case sending([SpanRecord], attempt: Int)
        case pausing([SpanRecord], attempt: Int, until: Instant)
        case ended
    }

    private var state = State.resting
    private var queue = Deque<SpanRecord>()
    /// Whether the rest is sent at once, without retries.
    private var isEnding = false
    package private(set) var figures = SpanFigures()
    private var news = CollectorNews()

    package init() {}

    /// Spans in memory, including those in flight.
    package var heldCount: Int {
        switch state {
        case .sending(let batch, _), .pausing(let batch, _, _): queue.count + batch.count
        case .resting, .gathering, .ended: queue.count
        }
    }

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

    /// Spans were dropped before they reached this queue.
    package mutating func lose(_ count: Int) { figures.lose(count, .dropped) }

    /// A timer has fired; it may be outdated.
    package mutating func woken(at now: Instant) -> Step? {
        switch state {
        case .gathering(let end) where end <= now: return next(at: now)
        case .pausing(let batch, let attempt, let end) where end <= now:
            state = .sending(batch, attempt: attempt + 1)
            return .send(batch)
        case .resting, .gathering, .sending, .pausing, .ended: return nil
        }
    }

    /// The outcome of the batch that was sent.
    ///
    /// - Parameter draw: a random number, so that many gateways do not retry together.
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

    /// No more spans will come: the rest is sent now, and only once.
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

    /// The time to stop is over: the rest is lost.
    package mutating func cut() {
        guard case .ended = state else {
            _ = end(losing: heldCount - queue.count)
            return
        }
    }

    /// The line about the collector to log, once a minute at most; `nil`: none.
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

    /// Exponential back-off with random jitter over its upper half. No less than the collector
    /// asked for, up to ``SpanLimits/askedPauseMax``.
    private static func pause(after attempt: Int, asked: Duration?, draw: UInt64) -> Duration {
        let whole = min(SpanLimits.pauseMin * (1 << (attempt - 1)), SpanLimits.pauseMax)
        let half = whole.wholeNanoseconds / 2
        let pause = Duration.nanoseconds(Int64(half + draw % (half + 1)))
        return max(pause, min(asked ?? .zero, SpanLimits.askedPauseMax))
    }
}
