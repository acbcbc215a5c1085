import CacheInvalidation
import CacheModel
import CacheWire

/// HELLO and WELCOME, PING and PONG, BYE.
extension NodeControlCore {
    /// Sends HELLO, at once and then with growing pauses until it is welcomed.
    mutating func greet(now: Instant, into actions: inout [NodeControlAction]) {
        helloBackoff.reset()
        phase = .greeting(
            Greeting(requestID: nextRequestID(.hello), sentCount: 0, nextAt: now))
        continueGreeting(now: now, into: &actions)
    }

    /// Repeats HELLO when it is due. After several without an answer the connection is replaced,
    /// because a vanished peer cannot be distinguished from a busy one.
    mutating func continueGreeting(now: Instant, into actions: inout [NodeControlAction]) {
        guard case .greeting(var greeting) = phase, greeting.nextAt <= now else { return }
        let count = greeting.sentCount
        if count > 0, count.isMultiple(of: NodeControlLimits.hellosPerConnection) {
            actions.append(.reconnectControl)
        }
        greeting.sentCount += 1
        greeting.nextAt = now.advanced(by: helloBackoff.next())
        phase = .greeting(greeting)
        statistics.greetings += 1
        let place = placeToClaim
        var hello = Hello(
            incarnation: identity.incarnation, log: place.log, applied: place.mark,
            node: identity.node, endpoints: identity.endpoints)
        hello.cluster = membership.cluster
        send(into: &actions) { hello.encode(requestID: greeting.requestID, into: &$0) }
    }

    /// If a record began a new epoch, its log has no id yet, and no mark of it can be claimed. But
    /// a run that had a lease names the log that granted it: a shard that has not heard of the
    /// forgetting may still call entries fresh by that lease, and a publisher that has just started
    /// does not wait for a node that knows no log.
    private var placeToClaim: (log: LogID, mark: LogMark) {
        subscriber.log == .none ? (leasedLog, .none) : (subscriber.log, claim)
    }

    mutating func received(
        _ welcome: Welcome, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard case .greeting = phase, welcome.log != .none else { return }
        actions.append(.lives(previous: welcome.previousRun))
        membership.heard(welcome.cluster, of: welcome.log)
        phase = .joined(Joined(pingAt: applied == .none ? nil : now, heardAt: now))
        adoptLease(milliseconds: welcome.leaseMilliseconds)
        heartbeatInterval = min(
            max(.milliseconds(welcome.heartbeatMilliseconds), NodeControlLimits.heartbeatMin),
            NodeControlLimits.heartbeatMax)
        acknowledged = .none
        question = nil
        if trust != .held { trust = .awaiting }
        actions.append(.report(.connected(log: welcome.log, head: welcome.head.position)))
        perform(
            subscriber.welcomed(log: welcome.log, head: welcome.head), now: now, into: &actions)
        fetch(welcome.versions, now: now, into: &actions)
        for frame in publishes.framesToSend() { actions.append(.sendControl(bytes: frame)) }
        heads.lost()
        continueHeads(now: now, into: &actions)
    }

    /// Sets the interval of PINGs, and the silence limit, from the publisher's lease. A grant
    /// itself is never longer than the publisher stated.
    private mutating func adoptLease(milliseconds: UInt32) {
        guard milliseconds > 0 else { return }
        leaseLength = min(
            max(.milliseconds(milliseconds), NodeControlLimits.leaseMin),
            NodeControlLimits.leaseMax)
    }

    /// Detects a control channel that has been silent for a lease, and greets anew: the publisher
    /// may have been restarted without its log, and then needs this node's mark.
    mutating func checkControlSilence(now: Instant, into actions: inout [NodeControlAction]) {
        guard case .joined(let joined) = phase,
            joined.heardAt.advanced(by: leaseLength) <= now
        else { return }
        actions.append(.report(.lostPublisher(silence: now.elapsed(since: joined.heardAt))))
        greet(now: now, into: &actions)
    }

    /// Requests the lease when it is due and every shard has a position to claim.
    mutating func ping(now: Instant, into actions: inout [NodeControlAction]) {
        guard case .joined(var joined) = phase, let pingAt = joined.pingAt, pingAt <= now else {
            return
        }
        joined.pingAt = now.advanced(by: leaseLength / NodeControlLimits.pingsPerLease)
        phase = .joined(joined)
        lease.pinged(at: now)
        let ping = Ping(
            incarnation: identity.incarnation, sentAt: now.nanoseconds, applied: claim,
            state: standing.state)
        let requestID = nextRequestID(.ping)
        send(into: &actions) { ping.encode(requestID: requestID, into: &$0) }
    }

    /// Makes a PING due, if there is a position to claim.
    mutating func pingAtOnce(now: Instant) {
        guard applied != .none, case .joined(var joined) = phase else { return }
        joined.pingAt = now
        phase = .joined(joined)
    }

    /// A PONG reports the head first, and grants a lease only if that agrees with this node's log.
    /// A PONG without a lease means that the publisher does not confirm this node's mark: the
    /// reason is requested.
    mutating func received(
        _ pong: Pong, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard pong.log != .none else { return }
        membership.heard(pong.cluster, of: pong.log)
        perform(
            subscriber.receivedHeartbeat(log: pong.log, head: pong.head), now: now,
            into: &actions)
        fetch(pong.versions, now: now, into: &actions)
        guard pong.log == subscriber.log, !subscriber.isDiverged else { return }
        adoptLease(milliseconds: pong.leaseMilliseconds)
        // Nothing is called fresh before the policy of each namespace is known, for example that
        // its origin may lag. The configuration was requested before this PING was.
        if config.held != nil {
            if pong.leaseMilliseconds > 0 { leasedLog = pong.log }
            lease.ponged(
                sentAt: Instant(nanoseconds: pong.sentAt), head: pong.head.position,
                lease: min(.milliseconds(pong.leaseMilliseconds), NodeControlLimits.leaseMax))
        }
        isLeaseWithheld = pong.leaseMilliseconds == 0
        if isLeaseWithheld {
            perform(subscriber.receivedDoubt(), now: now, into: &actions)
        }
    }

    /// Tells the publisher that this run no longer serves anything, if it was ever in contact.
    mutating func sayBye(into actions: inout [NodeControlAction]) {
        guard statistics.greetings > 0 else { return }
        let requestID = nextRequestID(.unanswered)
        let bye = Bye(incarnation: identity.incarnation)
        send(into: &actions) { bye.encode(requestID: requestID, into: &$0) }
    }
}
