import CacheInvalidation
package import CacheModel
import CacheWire

/// Timers, and the end of a turn.
extension NodeControlCore {
    /// When ``tick(now:into:)`` must be called if nothing arrives; `nil` if there is no timer.
    package var nextDeadline: Instant? {
        var deadlines: [Instant] = []
        switch phase {
        case .idle, .stopped: return nil
        case .listening(let until): deadlines.append(until)
        case .greeting(let greeting): deadlines.append(greeting.nextAt)
        case .joined(let joined):
            deadlines.append(joined.heardAt.advanced(by: leaseLength))
            if let pingAt = joined.pingAt { deadlines.append(pingAt) }
        }
        deadlines.append(resubscribeAt)
        if let deadline = publishes.nextDeadline { deadlines.append(deadline) }
        if case .joined = phase, let deadline = heads.nextDeadline { deadlines.append(deadline) }
        if let ackAt { deadlines.append(ackAt) }
        if let shardsHeardAt { deadlines.append(shardsHeardAt) }
        if let floorsQuest { deadlines.append(floorsQuest.deadline) }
        if let deadline = leaving?.deadline { deadlines.append(deadline) }
        if trust == .held, let expiresAt = lease.expiresAt { deadlines.append(expiresAt) }
        return deadlines.min()
    }

    /// Performs due work: HELLO, PING, silence on either channel, publishes without an answer.
    package mutating func tick(now: Instant, into actions: inout [NodeControlAction]) {
        switch phase {
        case .idle, .stopped: return
        case .listening, .greeting, .joined: break
        }
        if case .listening(let until) = phase, until <= now { greet(now: now, into: &actions) }
        checkControlSilence(now: now, into: &actions)
        continueGreeting(now: now, into: &actions)
        ping(now: now, into: &actions)
        checkLiveSilence(now: now, into: &actions)
        expirePublishes(now: now, into: &actions)
        continueHeads(now: now, into: &actions)
        continueFloors(now: now, into: &actions)
        continueLeaving(now: now, into: &actions)
        if let due = shardsHeardAt, due <= now {
            let isAnyBehind = applied != subscriber.applied
            shardsHeardAt = isAnyBehind ? now.advanced(by: NodeControlLimits.ackSpacing) : nil
        }
    }

    /// Begins a turn: gives up the lease if the machine may have been paused since the last one,
    /// and requests another. An answer to an earlier PING that is still under way grants none.
    ///
    /// - Parameter calendar: read together with `now`.
    package mutating func beginTurn(
        calendar: CalendarTime, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard let jump = pauseWatch.look(calendar, now: now), !isStopped else { return }
        statistics.calendarJumps += 1
        lease.revoke()
        pingAtOnce(now: now)
        actions.append(.report(.calendarJumped(by: jump)))
        updateStanding(now: now, pausedFor: jump, into: &actions)
    }

    /// Ends a turn: acknowledges once everything that every shard has applied meanwhile, if it is
    /// due, and tells the shards if the node's standing has changed.
    package mutating func endTurn(now: Instant, into actions: inout [NodeControlAction]) {
        if isStopped { return }
        if let ackAt, ackAt <= now {
            acknowledged = applied
            acknowledgedAt = now
            let requestID = nextRequestID(.unanswered)
            let ack = Ack(incarnation: identity.incarnation, applied: claim)
            send(into: &actions) { ack.encode(requestID: requestID, into: &$0) }
        }
        updateStanding(now: now, into: &actions)
    }

    /// When to acknowledge applied records; `nil` if the publisher knows. At once if a caller may
    /// be waiting; otherwise at a limited rate, because acknowledging every record of a steady
    /// stream would cost as much as the records.
    private var ackAt: Instant? {
        guard case .joined = phase, applied != .none, applied != acknowledged else { return nil }
        guard acknowledged.position >= awaitedThrough else { return Instant(nanoseconds: 0) }
        return acknowledgedAt.advanced(by: NodeControlLimits.ackSpacing)
    }

    /// - Parameter pausedFor: how long the machine was paused before `now`, beyond what its own
    ///   clock shows.
    mutating func updateStanding(
        now: Instant, pausedFor: Duration = .zero, into actions: inout [NodeControlAction]
    ) {
        updateTrust(now: now)
        if !subscriber.isDiverged { membership.follows(subscriber.log) }
        let state = state
        if state != standing.state { stateSince = now }
        var current = NodeStanding(
            state: state, leaseExpiresAt: leaseEnd, log: subscriber.log,
            head: subscriber.knownHead, topologyVersion: topology.shown ?? 0)
        current.vouchedUntil = vouchedUntil(now: now, pausedFor: pausedFor)
        current.cluster = membership.cluster
        current.doubt = doubt(in: state, since: stateSince, now: now)
        guard current != standing else { return }
        let before = standing.state
        standing = current
        actions.append(.setStanding(current))
        guard current.state != before else { return }
        if current.state == .suspect { actions.append(.report(.suspect)) }
        if current.state == .live, before != .catchingUp { actions.append(.report(.live)) }
    }

    private mutating func updateTrust(now: Instant) {
        if subscriber.isDiverged {
            trust = .lost
        } else if lease.isHeld(at: now) {
            trust = .held
        } else if trust == .held {
            trust = .lost
        }
    }

    /// A lease that was given up ended at that time.
    private func vouchedUntil(now: Instant, pausedFor: Duration) -> Instant? {
        if trust == .held { return leaseEnd }
        guard let end = standing.vouchedUntil.map({ min($0, now) }),
            // Before its clock began it had no lease.
            end.nanoseconds > pausedFor.wholeNanoseconds
        else { return nil }
        return end.reversed(by: pausedFor)
    }

    private var leaseEnd: Instant {
        trust == .held ? lease.expiresAt ?? Instant(nanoseconds: 0) : Instant(nanoseconds: 0)
    }

    private var state: NodeState {
        if isDraining { return .draining }
        return switch trust {
        case .unheard: .starting
        case .awaiting: .syncing
        case .held: subscriber.isRecovering ? .catchingUp : .live
        case .lost: .suspect
        }
    }
}
