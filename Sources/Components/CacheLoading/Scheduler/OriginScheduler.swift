package import CacheModel

/// The scheduler between a node's shards and the origins: it decides which load may ask its origin
/// now, which waits, which is retried, and which is refused.
///
///                      ┌──────────────────────── OriginScheduler ────────────────────────┐
///     shard 0 ──ask──▶ │ gate of "users"                                            │
///     shard 1 ──ask──▶ │  breaker ──▶ queue: awaited ──┐                            │
///     shard 2 ──ask──▶ │     │               refresh ──┼─▶ limit ──────────start──▶ │ users'
///                      │     │               prefetch ─┘                            │ origin
///            ◀─answer─ │ ◀───┴────────────── resting ◀── retry budget ◀─finished─── │
///                      │ gate of "orders"  …                                        │ …
///                      └────────────────────────────────────────────────────────────┘
///
/// One thread of a node owns it; every shard sends its loads there. It receives events and appends
/// actions; it reads no clock, and its only randomness comes from a seed.
///
/// ### One load
/// It is answered once, within `request.timeout` of being asked, unless it is cancelled. It waits
/// for its turn, has one attempt at a time, and may back off between two; a resting load uses no
/// slot at the origin. An attempt gets all the remaining time of its load: a shorter timeout would
/// make a slow origin do the same work twice.
///
/// ### One gate for each namespace
/// - **Breaker**: no requests to a failing origin; then one probe at a time; then a slow start.
/// - **Queue**, bounded: loads with readers first, then background refreshes, then prefetches. Once
///   a reader has waited too long the newest goes first, so that the readers that get an answer get
///   it in time [1]. Otherwise all would be answered too late, also after the overload is over [2].
/// - **Limit** of concurrent attempts, adaptive. An aborted attempt keeps its slot until the shell
///   reports it as finished: the origin may still be working on it.
/// - **Retry budget**: retries are a tenth of first attempts, so they cannot cause an overload.
///
/// ### What the shell must do
/// Perform every action in order; call `finished` once for every started attempt, aborted ones
/// included; call `timeIsUp` at `nextDeadline`, until that is in the future.
///
/// ### What it does not do
/// It does not judge whether a reply is a value, knows nothing of freshness, does not coalesce (the
/// shard ensures one load of a key at a time), and does not use the node's state.
///
/// [1] Maurer: Fail at Scale, ACM Queue 13(8), 2015 (adaptive LIFO).
/// [2] Bronson et al.: Metastable Failures in Distributed Systems, HotOS 2021.
package struct OriginScheduler: Sendable {
    /// By `GateNumber`. A free gate has no policy and is listed in `freeGates`.
    var gates: [OriginGate] = []
    var freeGates: [GateNumber] = []
    var gateNumbers: [Namespace: GateNumber] = [:]
    /// Every load without an answer.
    var loads: [LoadTicket: Load] = [:]
    /// Every attempt that is not finished, aborted ones included.
    var attempts: [AttemptNumber: OpenAttempt] = [:]
    /// One for every load: the end of its back-off, or of its time.
    var alarms = LoadAlarms()
    var lastAttempt = AttemptNumber.none
    var jitter: Jitter
    #if CACHE_CHECKED
        var checkCount = 0
    #endif

    /// - Parameter seed: seeds the jitter of back-off and pauses. Nodes should differ, so that they
    ///   do not return to an origin together.
    package init(seed: UInt64) {
        jitter = Jitter(seed: seed)
    }

    /// A shard requests a load. It starts, waits, or is answered at once: `.noOrigin`, `.broken` or
    /// `.overloaded`.
    ///
    /// - Precondition: no load with this ticket is under way.
    /// - Complexity: O(log loads).
    package mutating func ask(_ order: LoadOrder, now: Instant, into actions: inout [Action]) {
        precondition(loads[order.ticket] == nil, "a ticket names one load")
        guard let gate = gateNumbers[order.request.namespace], gates[gate.index].isServing else {
            let answer = LoadAnswer.failed(.noOrigin, retryAfter: nil)
            return actions.append(.answer(order.ticket, answer))
        }
        gates[gate.index].counters.asked += 1
        if let retryAfter = gates[gate.index].refusal(of: order.urgency, now: now) {
            let answer = LoadAnswer.failed(.broken, retryAfter: retryAfter)
            gates[gate.index].counters.note(answer)
            return actions.append(.answer(order.ticket, answer))
        }
        enlist(order, at: gate, now: now)
        settle(gate, now: now, into: &actions)
    }

    /// Cancels a load that is no longer needed: it gets no answer. An attempt under way is aborted,
    /// but keeps its slot until it is finished. An unknown ticket has been answered already.
    ///
    /// - Complexity: O(log loads).
    package mutating func cancel(
        _ ticket: LoadTicket, now: Instant, into actions: inout [Action]
    ) {
        guard let load = forget(ticket) else { return }
        gates[load.gate.index].counters.cancelled += 1
        if case .trying(let attempt) = load.state { abort(attempt, into: &actions) }
        settle(load.gate, now: now, into: &actions)
    }

    /// Makes a load more urgent: a reader waits for a value that was only prefetched. It joins the
    /// end of the more urgent line; its deadline stays. Never makes a load less urgent.
    ///
    /// - Complexity: O(log loads).
    package mutating func hasten(
        _ ticket: LoadTicket, to urgency: LoadUrgency, now: Instant, into actions: inout [Action]
    ) {
        guard let load = loads[ticket], urgency < load.urgency else { return }
        loads[ticket]?.urgency = urgency
        switch load.state {
        case .waiting(let place):
            gates[load.gate.index].queue.hasten(place, to: urgency, now: now)
        case .trying(let attempt):
            attempts[attempt]?.urgency = urgency
            gates[load.gate.index].flights.remove(load.urgency)
            gates[load.gate.index].flights.add(urgency)
        }
        settle(load.gate, now: now, into: &actions)
    }

    private mutating func enlist(_ order: LoadOrder, at gate: GateNumber, now: Instant) {
        let line = LoadQueue.Line(order.urgency)
        let place = gates[gate.index].queue.append(order.ticket, to: line, now: now)
        let deadline = now.advanced(by: order.request.timeout)
        loads[order.ticket] = Load(
            request: order.request, gate: gate, deadline: deadline, urgency: order.urgency,
            state: .waiting(place))
        alarms.set(order.ticket, at: deadline)
    }

    package enum Action: Equatable, Sendable {
        /// Send the request. Its `timeout` is the remaining time of its load; its policy is the
        /// newest.
        case start(AttemptNumber, OriginRequest)
        /// The result of this attempt is no longer needed. Abort it, and call `finished` when it
        /// has ended: until then it counts as one of those at the origin.
        case abort(AttemptNumber)
        /// The end of a load, for the shard that asked for it.
        case answer(LoadTicket, LoadAnswer)
    }

    /// Counters of every gate since it was opened, and its current state.
    ///
    /// - Complexity: O(gates).
    package var statistics: [Namespace: GateStatistics] {
        gateNumbers.mapValues { gates[$0.index].statistics }
    }

    /// `nil`: the namespace has no origin.
    package func statistics(of namespace: Namespace) -> GateStatistics? {
        gateNumbers[namespace].map { gates[$0.index].statistics }
    }

    /// When to call `timeIsUp`; `nil`: nothing is under way. It may be in the past if a call could
    /// not do everything: then call again.
    package var nextDeadline: Instant? { alarms.next }

    /// Handles loads after their back-off or deadline.
    ///
    /// - Complexity: O(log loads) for each that is due, at most
    ///   `OriginSchedulerLimits.dueMax` of them.
    package mutating func timeIsUp(now: Instant, into actions: inout [Action]) {
        for _ in 0..<OriginSchedulerLimits.dueMax {
            guard let ticket = alarms.takeDue(now: now), let load = loads[ticket] else { return }
            if load.deadline <= now {
                expire(ticket, load, now: now, into: &actions)
            } else {
                endRest(of: ticket, load, now: now)
            }
            settle(load.gate, now: now, into: &actions)
        }
    }

    private mutating func endRest(of ticket: LoadTicket, _ load: Load, now: Instant) {
        guard case .waiting(let place) = load.state else {
            preconditionFailure("only a resting load has an alarm before its deadline")
        }
        gates[load.gate.index].queue.move(place, to: .init(load.urgency), now: now)
        alarms.set(ticket, at: load.deadline)
    }

    /// A load's time is over, or too short for a turn: `.overloaded` if it got no turn, `.timedOut`
    /// if it did.
    mutating func expire(
        _ ticket: LoadTicket, _ load: Load, now: Instant, into actions: inout [Action]
    ) {
        guard case .trying(let number) = load.state, let attempt = attempts[number] else {
            return answer(ticket, waitedInVain(load), into: &actions)
        }
        abort(number, into: &actions)
        answer(ticket, .failed(.timedOut, retryAfter: nil), into: &actions)
        if weigh(.timedOut, of: attempt, now: now) == .opened {
            answerBroken(at: load.gate, now: now, into: &actions)
        }
    }

    private func waitedInVain(_ load: Load) -> LoadAnswer {
        load.attemptCount == 0
            ? .failed(.overloaded, retryAfter: gates[load.gate.index].turnGuess)
            : .failed(.timedOut, retryAfter: nil)
    }
}
