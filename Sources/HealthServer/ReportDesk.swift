import CacheMetrics
import CacheModel
import NIOCore
import Threading

/// Gets a report of the process's threads for everybody who wants one now: they are asked once for
/// all, not more often than ``HealthLimits/reportAgeMax`` allows, and never again while a question
/// is open, so that letters do not pile up before a thread that hangs.
final class ReportDesk: Sendable {
    private struct State: Sendable {
        var isAsking = false
        /// Nobody is asked any more.
        var isOver = false
        var held: (report: any HealthReport, takenAt: Instant)?
        var waiting: [UInt64: EventLoopPromise<(any HealthReport)?>] = [:]
        var nextNumber: UInt64 = 0
    }

    /// What is to be done for somebody who wants a report.
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
            state.isAsking = true
            return .wait(number: number, asks: asks)
        }
    }

    /// Whoever waits, or comes later, is told that nobody answers: the event loop is about to end.
    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for promise in waiting { promise.succeed(nil) }
    }

    /// Everybody who waits gets it. On a thread of the process: what is made of it is made on the
    /// event loop.
    private func took(_ report: any HealthReport) {
        let waiting = state.withLock { state in
            state.isAsking = false
            state.held = (report, MonotonicClock.now)
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for promise in waiting { promise.succeed(report) }
    }
}
