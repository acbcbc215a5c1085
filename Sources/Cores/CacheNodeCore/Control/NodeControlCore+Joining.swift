import CacheInvalidation
import CacheModel
import CacheWire

/// HELLO and WELCOME, PING and PONG.
extension NodeControlCore {
    /// Sends HELLO, at once and then with growing pauses until it is welcomed.
    mutating func greet(now: Instant, into actions: inout [NodeControlAction]) {
        link.greet(requestID: nextRequestID(.hello), now: now)
        floors.dropRequest()
        continueGreeting(now: now, into: &actions)
    }

    mutating func continueGreeting(now: Instant, into actions: inout [NodeControlAction]) {
        if link.isUnanswered(now: now) { return change(.unanswered, now: now, into: &actions) }
        guard let due = link.nextHello(now: now) else { return }
        if due.needsConnection { actions.append(link.connection) }
        statistics.greetings += 1
        let place = authority.place(toClaim: claim, of: subscriber.log)
        let hello = identity.hello(from: place.log, place.mark, of: membership.cluster)
        send(into: &actions) { hello.encode(requestID: due.requestID, into: &$0) }
    }

    mutating func received(
        _ welcome: Welcome, now: Instant, into actions: inout [NodeControlAction]
    ) {
        let pingAt = applied == .none ? nil : now
        guard welcome.log != .none, link.welcomed(pingAt: pingAt, now: now) else { return }
        actions.append(.lives(previous: welcome.previousRun))
        actions += link.follow(welcome.liveEndpoint, now: now)
        membership.received(welcome.cluster, of: welcome.log)
        link.adopt(leaseMilliseconds: welcome.leaseMilliseconds)
        link.live.adopt(heartbeatMilliseconds: welcome.heartbeatMilliseconds)
        // A restarted publisher knows neither.
        acks.acknowledged = .none
        replays.unanswered = nil
        authority.welcomed()
        actions.append(.report(.connected(log: welcome.log, head: welcome.head.position)))
        perform(
            subscriber.welcomed(log: welcome.log, head: welcome.head), now: now, into: &actions)
        fetch(welcome.versions, now: now, into: &actions)
        actions += publishes.repetitions(areSeveral: link.rotation.areSeveral)
        heads.dropRequest()
        continueHeads(now: now, into: &actions)
    }

    /// Requests the lease when it is due and every shard has a position to claim.
    mutating func ping(now: Instant, into actions: inout [NodeControlAction]) {
        guard link.takePing(now: now) else { return }
        authority.lease.pinged(at: now)
        let ping = Ping(
            incarnation: identity.incarnation, sentAt: now.nanoseconds, applied: claim,
            state: standing.state)
        send(.ping, into: &actions) { ping.encode(requestID: $0, into: &$1) }
    }

    /// The configuration that was handed out last cannot be read: ``SharedFetch/unreadable(_:)``.
    package mutating func configurationUnreadable() -> Bool { config.unreadable(&authority.lease) }

    /// Makes a PING due, if there is a position to claim.
    mutating func pingAtOnce(now: Instant) {
        if applied != .none { link.schedulePing(at: now) }
    }

    /// A PONG reports the head first, and grants a lease only if that agrees with this node's log.
    /// A PONG without a lease means that the publisher does not confirm this node's mark: the
    /// reason is requested.
    mutating func received(_ pong: Pong, now: Instant, into actions: inout [NodeControlAction]) {
        guard pong.log != .none else { return }
        membership.received(pong.cluster, of: pong.log)
        hear(pong.head, of: pong.log, now: now, into: &actions)
        fetch(pong.versions, now: now, into: &actions)
        guard pong.log == subscriber.log, !subscriber.isDiverged else { return }
        link.adopt(leaseMilliseconds: pong.leaseMilliseconds)
        authority.received(pong, isConfigured: config.isInForce)
        if authority.isWithheld {
            perform(subscriber.receivedDoubt(), now: now, into: &actions)
        }
    }
}
