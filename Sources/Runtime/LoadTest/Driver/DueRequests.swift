import CacheModel
import CacheWorkload

/// What is due and was not sent yet: requests of an open loop, and invalidations beside the load.
///
/// Requests that will never be sent are counted as soon as that is decided, not at the end of the
/// phase.
struct DueRequests {
    /// Only of an open loop.
    private var backlog: ArrivalBacklog?
    /// Invalidations beside the load: their due times and the stream of their keys.
    private var beside: (backlog: ArrivalBacklog, stream: RequestStream)?
    /// Unsent requests that were counted already.
    private var notSentCounted = 0

    init(_ setup: DriverSetup, startedAt: UInt64) {
        backlog = setup.backlog(startedAt)
        beside = setup.beside(startedAt)
    }

    var isOpenLoop: Bool { backlog != nil }
    /// Due requests that wait for capacity.
    var waitingCount: Int { backlog?.waitingCount ?? 0 }

    /// When the next request of a schedule is due.
    var next: UInt64? {
        let own = backlog?.nextDue.nanoseconds
        let other = beside?.backlog.nextDue.nanoseconds
        return own.map { min($0, other ?? .max) } ?? other
    }

    mutating func arrive(by now: UInt64, before end: UInt64, _ recorder: inout Recorder) {
        backlog?.arrive(by: Instant(nanoseconds: now), before: Instant(nanoseconds: end))
        countNotSent(&recorder)
    }

    /// The due time of the request to send now; `nil` if none is due.
    mutating func take(_ now: UInt64, _ recorder: inout Recorder) -> UInt64? {
        guard let due = backlog?.take()?.nanoseconds else { return nil }
        recorder.schedule?.lateness.note(nanoseconds: now > due ? now - due : 0)
        return due
    }

    mutating func arriveBeside(by now: UInt64, before end: UInt64) {
        beside?.backlog.arrive(by: Instant(nanoseconds: now), before: Instant(nanoseconds: end))
    }

    mutating func takeBeside() -> UInt64? { beside?.backlog.take()?.nanoseconds }

    mutating func nextBeside() -> WorkloadRequest? { beside?.stream.next() }

    /// The phase is over: due and unsent requests are never sent.
    ///
    /// - Parameter isOnePending: whether a request was drawn and not sent.
    mutating func end(isOnePending: Bool, _ recorder: inout Recorder) {
        if backlog != nil {
            backlog?.abandon()
            recorder.schedule?.dueCount = UInt64(backlog?.dueCount ?? 0)
            recorder.schedule?.backlogMax = UInt64(backlog?.waitingPeak ?? 0)
            countNotSent(&recorder)
            if isOnePending { recorder.notSent(1) }
        }
        beside?.backlog.abandon()
        recorder.notSentBeside(UInt64(beside?.backlog.notSentCount ?? 0))
    }

    private mutating func countNotSent(_ recorder: inout Recorder) {
        guard let backlog, backlog.notSentCount > notSentCounted else { return }
        recorder.notSent(UInt64(backlog.notSentCount - notSentCounted))
        notSentCounted = backlog.notSentCount
    }
}
