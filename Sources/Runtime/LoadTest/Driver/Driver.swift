import CacheModel
import CacheWorkload
import MartletClient

/// One thread of a load test in one phase: it sends requests and counts the answers.
///
///     RequestStream, ArrivalBacklog ─▶ submit ─▶ DriverLine ══▶ cluster
///                                        ▲              │
///            follow-ups (fills, writes) ─┘              ▼
///                                            DriverState: table, oracle, recorder
///
/// ### One turn
/// Read the clock. Send follow-ups of answers. Send due requests for which there is capacity.
/// Receive answers, and wait for them until something else is due.
///
/// ### Latency
/// Closed loop: from the moment with capacity for the request. Open loop: from the scheduled time,
/// however long the request then waited. The clock is read once for each received message.
struct Driver: ~Copyable {
    /// An operation without an answer after this time is given up.
    static let patience: UInt64 = 5_000_000_000
    private static let givingUpInterval: UInt64 = 250_000_000
    /// How long Ctrl-C waits for operations in flight.
    private static let patienceWhenStopped: UInt64 = 500_000_000

    /// Copied into a local variable before its use beside `state`: the thread sanitizer's build
    /// treats what `self` refers to as part of it, and rejects the overlap.
    let line: DriverLine
    var state: DriverState
    let work: DriverWork
    /// A drawn request that waits for capacity.
    var pending: PendingRequest?
    private var looksAgainAt: UInt64 = 0

    init(_ line: DriverLine, _ state: DriverState, _ work: DriverWork) {
        self.line = line
        self.state = state
        self.work = work
    }

    /// Works until the phase is over, then waits for operations in flight.
    ///
    /// - Throws: ``MartletClient/CacheError`` if the sockets fail.
    mutating func run() throws(CacheError) {
        let line = line
        while true {
            let now = state.clock.read()
            guard now < work.endsAt, !work.stop.isRaised, !hasAskedForAll else { break }
            state.recorder.passed(now)
            state.submitRepeats(over: &line.connection, now)
            state.submitFollowUps(over: &line.connection, now)
            submit(now, over: &line.connection)
            try take(until: nextTurn(now), now)
        }
        submitLast()
        state.due.end(isOnePending: pending != nil, &state.recorder)
        try drain()
    }

    /// Requests that became due since the last turn still belong to this phase.
    private mutating func submitLast() {
        guard !work.stop.isRaised, state.due.isOpenLoop else { return }
        let line = line
        submitOpen(state.clock.read(), over: &line.connection)
    }

    private var hasAskedForAll: Bool {
        state.begunCount >= work.operationCount && pending == nil
    }

    // The connection is passed down for submissions: a line is a class instance, and Swift checks
    // each access to its properties at run time.

    private mutating func submit(_ now: UInt64, over connection: inout PipelinedConnection) {
        submitBeside(now, over: &connection)
        if !state.due.isOpenLoop {
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
        state.due.arrive(by: now, before: work.endsAt, &state.recorder)
        while state.hasRoom, state.followUps.isEmpty {
            if pending == nil {
                guard state.begunCount < work.operationCount,
                    let due = state.due.take(now, &state.recorder)
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
        state.due.arriveBeside(by: now, before: work.endsAt)
        while connection.canInvalidate, let due = state.due.takeBeside() {
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

    /// When the driver has work even without an answer.
    private func nextTurn(_ now: UInt64) -> UInt64 {
        var next = min(work.endsAt, now + 100_000_000)
        // One that is due already found no capacity: only an answer helps.
        if let again = state.repeats.next, again > now { next = min(next, again) }
        if state.isWaitingForRoom || pending != nil { return next }
        if let due = state.due.next { next = min(next, due) }
        return next
    }

    private mutating func take(until moment: UInt64, _ now: UInt64) throws(CacheError) {
        let line = line
        let timeout = Duration.nanoseconds(Int64(clamping: moment > now ? moment - now : 0))
        state.clock.beginTurn()
        var taken = try line.connection.takeCompletions(limit: 256, timeout: .zero) {
            state.complete($0)
        }
        if taken == 0, timeout > .zero {
            let begun = state.clock.read()
            taken = try line.connection.takeCompletions(limit: 256, timeout: timeout) {
                state.complete($0)
            }
            state.clock.waited(since: begun)
        }
        if taken == 0 {
            line.connection.flush()
        } else if state.clock.wasAllLost {
            // No server is connected: wait a little instead of retrying at full speed.
            state.clock.beginTurn()
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

    /// Receives all outstanding answers, including receipts and fills; afterwards nothing is in
    /// flight.
    private mutating func drain() throws(CacheError) {
        let line = line
        let begun = state.clock.read()
        line.connection.flush()
        while state.isWaiting {
            let now = state.clock.read()
            state.recorder.passed(now)
            if work.stop.isRaised, now > begun + Self.patienceWhenStopped { break }
            if !work.stop.isRaised {
                state.submitRepeats(over: &line.connection, now)
                state.submitFollowUps(over: &line.connection, now)
                line.connection.flush()
            } else {
                state.dropFollowUps()
            }
            try take(until: now + 10_000_000, now)
            if now > begun + 2 * Self.patience { break }
        }
        // The next phase has its own tags: it must get no answers of this one.
        line.connection.flush()
        _ = line.connection.giveUp(sentBefore: Instant(nanoseconds: .max)) { state.complete($0) }
    }
}

/// A thread's connection, kept from phase to phase, and its shape.
///
/// So a warm-up also warms the sockets, and a node that is lost between two phases is counted
/// instead of ending the run.
final class DriverLine {
    let shape: ConnectionShape
    var connection: PipelinedConnection

    /// - Throws: ``MartletClient/CacheError`` if the cluster or one of its shards is unreachable.
    init(
        _ endpoints: [String], _ shape: ConnectionShape, keys: ClientKeys? = nil,
        timeout: Duration, spin: Duration = .zero
    ) throws(CacheError) {
        self.shape = shape
        var options = shape.options(timeout: timeout)
        options.spin = spin
        options.keys = keys
        connection = try PipelinedConnection(endpoints: endpoints, options: options)
    }
}

/// The limits of a driver's phase.
struct DriverWork: Sendable {
    let stop: StopSignal
    /// No request is sent from then on; the end of time if only the count ends the phase.
    var endsAt: UInt64
    /// Most operations to begin.
    var operationCount: Int
    /// Whether every operation is sent at once in its own message, whatever the capacity of the
    /// message: only the keys of one scan share one.
    var flushesEachOperation = false
}
