import CacheInvalidation
package import CacheModel
import CacheWire

/// Timers, the end of a turn, and the node's standing.
extension NodeControlCore {
    /// When ``tick(now:into:)`` must be called if nothing arrives; `nil` if there is no timer.
    package var nextDeadline: Instant? {
        guard let linkDeadline = link.nextDeadline else { return nil }
        let deadlines = [
            linkDeadline, link.liveDeadline, publishes.nextDeadline,
            link.isJoined ? heads.nextDeadline : nil, ackAt, acks.pollAt, floors.nextDeadline,
            drainState.nextDeadline, authority.expiresAt,
        ]
        return deadlines.compactMap(\.self).min()
    }

    /// Begins a turn: gives up the lease if the machine may have been paused since the last one,
    /// and requests another. An answer to an earlier PING that is still under way grants none.
    ///
    /// - Parameter calendar: read together with `now`.
    package mutating func beginTurn(
        calendar: CalendarTime, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard !isStopped, let pause = authority.pauseWatch.look(calendar, now: now) else { return }
        statistics.calendarJumps += 1
        authority.lease.revoke()
        pingAtOnce(now: now)
        actions.append(.report(.calendarJumped(by: pause)))
        updateStanding(now: now, pausedFor: pause, into: &actions)
    }

    /// Performs due work: HELLO, PING, silence on either channel, publishes without an answer.
    package mutating func tick(now: Instant, into actions: inout [NodeControlAction]) {
        guard link.nextDeadline != nil else { return }
        if case .listening(let until) = link.state, until <= now {
            greet(now: now, into: &actions)
        }
        checkSilence(now: now, into: &actions)
        // The publisher may have been restarted without its log, and then needs this node's mark.
        if let silence = link.silence(now: now), silence >= link.leaseLength {
            actions.append(.report(.lostPublisher(silence: silence)))
            greet(now: now, into: &actions)
        }
        continueGreeting(now: now, into: &actions)
        ping(now: now, into: &actions)
        if let silence = link.renewLive(now: now) {
            statistics.resubscriptions += 1
            actions.append(.resubscribe)
            actions.append(.report(.lostLiveChannel(silence: silence)))
        }
        while let entry = publishes.removeFirst(expiredAt: now) {
            answer(entry, .failure(.unanswered), into: &actions)
        }
        continueHeads(now: now, into: &actions)
        continueFloors(now: now, into: &actions)
        continueDraining(now: now, into: &actions)
        acks.polled(isAnyBehind: applied != subscriber.applied, now: now)
    }

    /// Ends a turn: acknowledges once everything that every shard has applied meanwhile, if it is
    /// due, and tells the shards if the node's standing has changed.
    package mutating func endTurn(now: Instant, into actions: inout [NodeControlAction]) {
        if isStopped { return }
        if let ackAt, ackAt <= now {
            acks.acknowledge(applied, now: now)
            let ack = Ack(incarnation: identity.incarnation, applied: claim)
            send(.unanswered, into: &actions) { ack.encode(requestID: $0, into: &$1) }
        }
        updateStanding(now: now, into: &actions)
    }

    private var ackAt: Instant? { link.isJoined ? acks.deadline(for: applied) : nil }

    // MARK: Standing

    /// - Parameter pausedFor: how long the machine was paused before `now`, beyond what its own
    ///   clock shows.
    mutating func updateStanding(
        now: Instant, pausedFor: Duration = .zero, into actions: inout [NodeControlAction]
    ) {
        authority.update(isDiverged: subscriber.isDiverged, pausedFor: pausedFor, now: now)
        if !subscriber.isDiverged { membership.follows(subscriber.log) }
        let (before, current) = (standing, condition.standing(after: standing, now: now))
        guard current != before else { return }
        standing = current
        actions.append(.setStanding(current))
        guard current.state != before.state else { return }
        if current.state == .suspect { actions.append(.report(.suspect)) }
        if current.state == .live, before.state != .catchingUp { actions.append(.report(.live)) }
    }

    var condition: NodeCondition {
        NodeCondition(
            link: link, authority: authority, subscriber: subscriber,
            isDraining: drainState != .serving, isConfigured: config.isInForce,
            areShardsBehind: applied != subscriber.applied, topologyVersion: topology.last ?? 0,
            cluster: membership.cluster)
    }
}
