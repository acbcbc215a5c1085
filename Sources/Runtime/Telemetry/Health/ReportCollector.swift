import CacheMetrics
import CacheModel
import NIOCore
import Threading

/// Gets a report of the process's threads for all requests that wait. The threads are asked once
/// for all, not more often than ``HealthLimits/reportAgeMax`` allows, and never again while a
/// question is open, so that letters do not pile up before a thread that hangs.
final class ReportCollector: Sendable {
    private struct State: Sendable {
        var isAsking = false
        /// When the threads were asked last.
        var askedAt = Instant(nanoseconds: 0)
        /// Whether the threads are not asked any more.
        var isOver = false
        var held: (report: any HealthReport, takenAt: Instant)?
        var waiting: [UInt64: EventLoopPromise<(any HealthReport)?>] = [:]
        var nextNumber: UInt64 = 0
    }

    /// The plan for a request.
    private enum Plan: Sendable {
        case answer((any HealthReport)?)
        case wait(number: UInt64, asks: Bool)
    }

    private let source: HealthSource
    private let loop: any EventLoop
    private let state = Guarded(State())

    init(_ source: HealthSource, on loop: any EventLoop) {
        self.source = source
        self.loop = loop
    }

    /// - Returns: `nil` if some thread has not answered in time.
    func report() -> EventLoopFuture<(any HealthReport)?> {
        let promise = loop.makePromise(of: (any HealthReport)?.self)
        switch plan(for: promise, now: MonotonicClock.now) {
        case .answer(let report): promise.succeed(report)
        case .wait(let number, let asks):
            let deadline = loop.scheduleTask(in: HealthLimits.answerTimeMax) { [self] in
                state.withLock { $0.waiting.removeValue(forKey: number) }?.succeed(nil)
            }
            promise.futureResult.whenComplete { _ in deadline.cancel() }
            if asks { source.takeReport { [self] in took($0) } }
        }
        return promise.futureResult
    }

    private func plan(
        for promise: EventLoopPromise<(any HealthReport)?>, now: Instant
    ) -> Plan {
        state.withLock { state in
            if state.isOver { return .answer(nil) }
            if let held = state.held, now.elapsed(since: held.takenAt) < HealthLimits.reportAgeMax {
                return .answer(held.report)
            }
            let number = state.nextNumber
            state.nextNumber += 1
            state.waiting[number] = promise
            let asks = !state.isAsking
            if asks { state.askedAt = now }
            state.isAsking = true
            return .wait(number: number, asks: asks)
        }
    }

    /// Ends all requests that wait, and all later ones, without a report: the event loop is about
    /// to end.
    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for promise in waiting { promise.succeed(nil) }
    }

    /// Answers all requests that wait. It runs on a thread of the process; the text is made on the
    /// event loop.
    ///
    /// The parts of a report may be as old as the question. A report that came too late is dropped,
    /// because the first threads' values may not hold any more: the threads are asked again for the
    /// requests that wait.
    private func took(_ report: any HealthReport) {
        let now = MonotonicClock.now
        let waiting = state.withLock { state -> [EventLoopPromise<(any HealthReport)?>]? in
            guard now.elapsed(since: state.askedAt) <= HealthLimits.reportDelayMax else {
                state.isAsking = !state.waiting.isEmpty
                state.askedAt = now
                return state.isAsking ? nil : []
            }
            state.isAsking = false
            state.held = (report, state.askedAt)
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        guard let waiting else { return source.takeReport { [self] in took($0) } }
        for promise in waiting { promise.succeed(report) }
    }
}
