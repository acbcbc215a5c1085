import CacheInvalidation
import CacheModel
import CacheWire

/// HELLO and WELCOME, PING and PONG, BYE.
extension NodeControlCore {
    /// Begins to say HELLO, at once and then with growing pauses until it is welcomed.
    mutating func greet(now: Instant, into actions: inout [NodeControlAction]) {
        helloBackoff.reset()
        phase = .greeting(
            Greeting(requestID: nextRequestID(.hello), sentCount: 0, nextAt: now))
        continueGreeting(now: now, into: &actions)
    }

    /// Says HELLO again when it is time. After several without an answer the connection itself is
    /// in doubt, for nothing else tells a peer that vanished from one that is busy.
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

    /// Where a record began a new epoch its log has no name yet, and no mark can be claimed of it.
    /// But who had a lease names the log that it had it of: a shard that has not heard of the
    /// forgetting may still call things fresh by it, and a publisher that has just started waits
    /// for nobody who knows no log.
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

    /// Paces PINGs, and what counts as silence, by the publisher's lease. A grant itself is never
    /// longer than the publisher said.
    private mutating func adoptLease(milliseconds: UInt32) {
        guard milliseconds > 0 else { return }
        leaseLength = min(
            max(.milliseconds(milliseconds), NodeControlLimits.leaseMin),
            NodeControlLimits.leaseMax)
    }

    /// Notices a control channel that has been silent for a lease, and greets anew: the publisher
    /// may have been started again without its log, and then needs this node's mark.
    mutating func checkControlSilence(now: Instant, into actions: inout [NodeControlAction]) {
        guard case .joined(let joined) = phase,
            joined.heardAt.advanced(by: leaseLength) <= now
        else { return }
        actions.append(.report(.lostPublisher(silence: now.elapsed(since: joined.heardAt))))
        greet(now: now, into: &actions)
    }

    /// Asks for the lease when it is time, and every shard has something to claim.
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

    /// Makes a PING due, if there is anything to claim by it.
    mutating func pingAtOnce(now: Instant) {
        guard applied != .none, case .joined(var joined) = phase else { return }
        joined.pingAt = now
        phase = .joined(joined)
    }

    /// A PONG is a word about the head first, and a lease only if that agrees with our log. One
    /// without a lease says that the publisher does not vouch for our mark: ask it why.
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
        // Nothing is called fresh before it is known what each namespace promises: that its loads
        // may lag behind, say. The configuration was asked for before this PONG was.
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

    /// Tells the publisher that this run serves nothing any more, if it ever heard of it.
    mutating func sayBye(into actions: inout [NodeControlAction]) {
        guard statistics.greetings > 0 else { return }
        let requestID = nextRequestID(.unanswered)
        let bye = Bye(incarnation: identity.incarnation)
        send(into: &actions) { bye.encode(requestID: requestID, into: &$0) }
    }
}
