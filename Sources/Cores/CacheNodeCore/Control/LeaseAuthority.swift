import CacheInvalidation
import CacheModel
import CacheWire

/// Whether entries may be called fresh, and until when the node could vouch for them.
///
///     unheard ── heartbeat, WELCOME ─▶ awaited ── lease ─▶ held ── expired, revoked ─▶ lost
///     any ── forget ─▶ awaited    lost ── WELCOME ─▶ awaited    any ── contradicted ─▶ lost
///
/// The lease itself is counted in ``lease``; what became of it is taken over once a turn, in
/// ``update(isDiverged:pausedFor:now:)``.
struct LeaseAuthority: Sendable {
    enum State: Equatable, Sendable {
        /// The publisher has not been received from.
        case unheard
        /// The publisher is reachable; no lease since.
        case awaited(vouchedUntil: Instant?)
        case held(until: Instant)
        /// There was a lease, and it is over; or the publisher contradicts what was applied.
        case lost(vouchedUntil: Instant?)
    }

    private(set) var state = State.unheard
    /// The log that last granted this run a lease; ``CacheModel/LogID/none``: none did.
    private(set) var grantingLog = LogID.none
    /// Whether the last PONG that could have granted a lease did not.
    private(set) var isWithheld = false
    var lease: NodeLease
    var pauseWatch = PauseWatch()

    init(applied: LogPosition, guards: Guards = .all) {
        lease = NodeLease(guards: guards)
        lease.applied(applied)
    }

    /// From when on nothing may be called fresh; `nil` without a lease.
    var expiresAt: Instant? {
        if case .held(let until) = state { until } else { nil }
    }

    /// The end of the last lease, or when it was given up; `nil` if there was none.
    var vouchedUntil: Instant? {
        switch state {
        case .unheard: nil
        case .awaited(let end), .lost(let end): end
        case .held(let until): until
        }
    }

    /// The place for HELLO of a run that claims `mark` of `log`.
    ///
    /// If a record began a new epoch, its log has no id yet, and no mark of it can be claimed. But
    /// a run that had a lease names the log that granted it: a shard that has not received the
    /// forgetting may still call entries fresh by that lease, and a publisher that has just started
    /// does not wait for a node that knows no log.
    func place(toClaim mark: LogMark, of log: LogID) -> (log: LogID, mark: LogMark) {
        log == .none ? (grantingLog, .none) : (log, mark)
    }

    mutating func receivedHeartbeat() {
        if state == .unheard { state = .awaited(vouchedUntil: nil) }
    }

    mutating func welcomed() {
        if expiresAt == nil { state = .awaited(vouchedUntil: vouchedUntil) }
    }

    /// - Parameter isConfigured: nothing is called fresh before the policy of each namespace is
    ///   known, for example that its origin may lag. The configuration was requested before this
    ///   PING was.
    mutating func received(_ pong: Pong, isConfigured: Bool) {
        isWithheld = pong.leaseMilliseconds == 0
        guard isConfigured else { return }
        if !isWithheld { grantingLog = pong.log }
        lease.ponged(
            sentAt: Instant(nanoseconds: pong.sentAt), head: pong.head.position,
            lease: min(.milliseconds(pong.leaseMilliseconds), NodeControlLimits.leaseMax))
    }

    /// The shards hide everything: no lease remains.
    mutating func forget() {
        lease.revoke()
        lease.applied(.none)
        state = .awaited(vouchedUntil: vouchedUntil)
    }

    /// - Parameter pausedFor: how long the machine was paused before `now`, beyond what the clock
    ///   shows.
    mutating func update(isDiverged: Bool, pausedFor: Duration, now: Instant) {
        if !isDiverged, lease.isHeld(at: now), let until = lease.expiresAt {
            return state = .held(until: until)
        }
        // A lease that was given up ended now. Before its clock began the node had none.
        let pause = pausedFor.wholeNanoseconds
        let end = vouchedUntil.map { min($0, now) }.flatMap {
            $0.nanoseconds > pause ? $0.reversed(by: pausedFor) : nil
        }
        switch state {
        case .unheard where !isDiverged: break
        case .awaited where !isDiverged: state = .awaited(vouchedUntil: end)
        default: state = .lost(vouchedUntil: end)
        }
    }
}

/// Detects that the machine and its monotonic clock were paused, from the calendar clock that is
/// corrected afterwards.
///
///     clock     ──┤ 10.0 s         10.1 s ├──   no clock of the machine advances in a pause
///     calendar  ──┤ 12:00:00.0     12:00:30.1 ├──   set later from outside
///                   └ hypervisor pauses ┘
///
/// If the calendar clock is only set, a pause is detected that did not happen.
struct PauseWatch: Sendable {
    private var last: (calendar: CalendarTime, now: Instant)?

    /// Compares both clocks.
    ///
    /// - Returns: by how much more the calendar clock advanced since the last call than the
    ///   monotonic clock, if that is more than their normal difference.
    mutating func look(_ calendar: CalendarTime, now: Instant) -> Duration? {
        defer { last = (calendar, now) }
        guard let last else { return nil }
        let (passed, overflow) = calendar.nanoseconds.subtractingReportingOverflow(
            last.calendar.nanoseconds)
        let ahead = Duration.nanoseconds(overflow ? .max : passed) - now.elapsed(since: last.now)
        return ahead >= NodeControlLimits.calendarJumpMin ? ahead : nil
    }
}
