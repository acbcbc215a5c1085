import CacheModel
import CacheWorkload
import MartletClient
import Threading

/// One thread of a load test in one phase: it asks, and counts what comes back.
///
///     RequestStream, ArrivalBacklog ─▶ submit ─▶ DriverLine ══▶ cluster
///                                        ▲              │
///            follow-ups (fills, writes) ─┘              ▼
///                                            DriverState: table, oracle, recorder
///
/// ### One turn
/// Read the clock; send what follows from answers; send what is due and has room; take answers,
/// and wait for them until something else is due.
///
/// ### What a latency is
/// Closed loop: from when there was room. Open loop: from when the schedule said, however long the
/// request then waited for room. The clock is read once for each message that comes.
struct Driver: ~Copyable {
    /// An answer that has not come after this is given up.
    static let patience: UInt64 = 5_000_000_000
    private static let givingUpInterval: UInt64 = 250_000_000
    /// How long Ctrl-C waits for what is on its way.
    private static let patienceWhenStopped: UInt64 = 500_000_000

    /// Taken into a local before it is used beside `state`: the thread sanitizer's build takes what
    /// is reached through `self` for a part of it, and refuses the overlap.
    let line: DriverLine
    var state: DriverState
    let work: DriverWork
    /// What was drawn and found no room yet.
    var pending: PendingRequest?
    private var looksAgainAt: UInt64 = 0

    init(_ line: DriverLine, _ state: DriverState, _ work: DriverWork) {
        self.line = line
        self.state = state
        self.work = work
    }

    /// Works until the phase is over, then waits for what is on its way.
    ///
    /// - Throws: ``MartletClient/CacheError`` if the sockets fail.
    mutating func run() throws(CacheError) {
        let line = line
        while true {
            let now = state.readClock()
            guard now < work.endsAt, !work.stop.isRaised, !hasAskedForAll else { break }
            state.recorder.passed(now)
            state.submitFollowUps(over: &line.connection, now)
            submit(now, over: &line.connection)
            try take(until: nextTurn(now), now)
        }
        submitLast()
        state.endSchedules(pending: pending)
        try drain()
    }

    /// What became due since the last turn is due in this phase all the same.
    private mutating func submitLast() {
        guard !work.stop.isRaised, state.backlog != nil else { return }
        let line = line
        submitOpen(state.readClock(), over: &line.connection)
    }

    private var hasAskedForAll: Bool {
        state.begunCount >= work.operationCount && pending == nil
    }

    // What is submitted goes over a connection that is handed down: a line is an object, and Swift
    // checks each access to what it holds while the program runs.

    private mutating func submit(_ now: UInt64, over connection: inout PipelinedConnection) {
        submitBeside(now, over: &connection)
        if state.backlog == nil {
            submitClosed(now, over: &connection)
        } else {
            submitOpen(now, over: &connection)
        }
        connection.flushInvalidations()
    }

    private mutating func submitClosed(
        _ now: UInt64, over connection: inout PipelinedConnection
    ) {
        while state.hasRoom, state.followUps.isEmpty {
            if pending == nil {
                guard state.begunCount < work.operationCount else { break }
                pending = PendingRequest(state.nextRequest(), dueAt: now)
            }
            guard submitPending(now, over: &connection) else { break }
        }
        if hasAskedForAll { connection.flush() } else { connection.flushIfIdle() }
    }

    private mutating func submitOpen(_ now: UInt64, over connection: inout PipelinedConnection) {
        state.arrive(by: now, before: work.endsAt)
        while state.hasRoom, state.followUps.isEmpty {
            if pending == nil {
                guard state.begunCount < work.operationCount, let due = state.takeDue(now)
                else { break }
                pending = PendingRequest(state.nextRequest(), dueAt: due)
            }
            guard submitPending(now, over: &connection) else { break }
        }
        connection.flush()
    }

    private mutating func submitBeside(
        _ now: UInt64, over connection: inout PipelinedConnection
    ) {
        state.arriveBeside(by: now, before: work.endsAt)
        while connection.canInvalidate, let due = state.takeBeside() {
            state.submitBeside(over: &connection, dueAt: due, now)
        }
    }

    private mutating func submitPending(
        _ now: UInt64, over connection: inout PipelinedConnection
    ) -> Bool {
        guard var request = pending else { return true }
        let isSent = state.submit(&request, over: &connection, now)
        pending = isSent ? nil : request
        if isSent, work.flushesEachOperation { connection.flush() }
        return isSent
    }

    /// When there is something to do even if no answer comes.
    private func nextTurn(_ now: UInt64) -> UInt64 {
        var next = min(work.endsAt, now + 100_000_000)
        if state.isWaitingForRoom || pending != nil { return next }
        if let due = state.nextDue { next = min(next, due) }
        return next
    }

    private mutating func take(until moment: UInt64, _ now: UInt64) throws(CacheError) {
        let line = line
        let timeout = Duration.nanoseconds(Int64(clamping: moment > now ? moment - now : 0))
        state.beginTurn()
        var taken = try line.connection.takeCompletions(limit: 256, timeout: .zero) {
            state.complete($0)
        }
        if taken == 0, timeout > .zero {
            let begun = state.readClock()
            taken = try line.connection.takeCompletions(limit: 256, timeout: timeout) {
                state.complete($0)
            }
            state.waited(since: begun)
        }
        if taken == 0 {
            line.connection.flush()
        } else if state.wasAllLost {
            // Nobody is there: the next try is not worth a processor.
            state.beginTurn()
            _ = try line.connection.takeCompletions(limit: 256, timeout: .milliseconds(2)) {
                state.complete($0)
            }
        }
        if now >= looksAgainAt { giveUp(now, patience: Self.patience) }
    }

    private mutating func giveUp(_ now: UInt64, patience: UInt64) {
        let line = line
        looksAgainAt = now + Self.givingUpInterval
        guard now > patience else { return }
        _ = line.connection.giveUp(sentBefore: Instant(nanoseconds: now - patience)) {
            state.complete($0)
        }
    }

    /// Takes what is still on its way, receipts and fills with it; afterwards nothing is.
    private mutating func drain() throws(CacheError) {
        let line = line
        let begun = state.readClock()
        line.connection.flush()
        while state.isWaiting {
            let now = state.readClock()
            state.recorder.passed(now)
            if work.stop.isRaised, now > begun + Self.patienceWhenStopped { break }
            if !work.stop.isRaised {
                state.submitFollowUps(over: &line.connection, now)
                line.connection.flush()
            } else {
                state.dropFollowUps()
            }
            try take(until: now + 10_000_000, now)
            if now > begun + 2 * Self.patience { break }
        }
        // The next phase has tags of its own: no answer of this one may come to it.
        line.connection.flush()
        _ = line.connection.giveUp(sentBefore: Instant(nanoseconds: .max)) { state.complete($0) }
    }
}
