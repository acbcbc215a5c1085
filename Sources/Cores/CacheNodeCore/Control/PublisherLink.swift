import CacheModel

/// Both channels of the publisher: how far it knows this run, and what is due there.
///
///     idle ── start ─▶ listening ── heartbeat, or time ─▶ greeting ── WELCOME ─▶ joined
///     any ── stop ─▶ stopped                                  ▲                    │
///                                                             └ silent, restarted ─┘
///
/// Several publishers are not listened for: those that do not lead are silent. A HELLO without an
/// answer, silence and NOT LEADER then lead to `greeting` another one, on another connection.
struct PublisherLink: Sendable {
    enum State: Equatable, Sendable {
        /// Not started.
        case idle
        /// Subscribed, and waiting for the first heartbeat, for a limited time: a publisher that
        /// was started without its log sends none before it is greeted.
        case listening(until: Instant)
        /// Sends HELLO until it is welcomed.
        case greeting(requestID: UInt64, sentCount: Int, nextAt: Instant)
        /// Known to the publisher. No PING is due while a shard has not reported an applied
        /// position: there is nothing to claim.
        case joined(receivedAt: Instant, pingAt: Instant?)
        /// Sent BYE. Final.
        case stopped
    }

    private(set) var state = State.idle
    /// When the publisher last answered a request; `nil` if it never did.
    private(set) var answeredAt: Instant?
    /// The limit of silence. Several PINGs are sent in it.
    private(set) var leaseLength = NodeControlLimits.leaseDefault
    /// Between two HELLOs to the only publisher.
    private var backoff: Backoff
    var rotation: PublisherRotation
    var live: LiveSubscription
    /// The number of the first request on this connection; answers to earlier ones are late.
    private var firstRequest: UInt64 = 0
    /// Whether the next HELLO goes to another publisher than the connection.
    private var isChanged = false
    /// When a PING was last sent because nothing was received.
    private var probedAt = Instant(nanoseconds: 0)

    init(seed: UInt64, publishers: [PublisherAddress] = []) {
        rotation = PublisherRotation(publishers, seed: seed &* 3)
        live = LiveSubscription(seed: ~seed)
        backoff = Backoff(
            first: NodeControlLimits.helloWaitMin, longest: NodeControlLimits.helloWaitMax,
            seed: seed)
    }

    var isJoined: Bool {
        if case .joined = state { true } else { false }
    }

    /// When something is due if nothing is received; `nil` if there is no connection.
    var nextDeadline: Instant? {
        switch state {
        case .idle, .stopped: nil
        case .listening(let until): until
        case .greeting(_, _, let nextAt): nextAt
        case .joined(let receivedAt, let pingAt):
            min(
                receivedAt.advanced(by: leaseLength),
                pingAt ?? receivedAt.advanced(by: leaseLength))
        }
    }

    mutating func start(now: Instant) {
        precondition(state == .idle, "a control thread starts once")
        state = .listening(until: now.advanced(by: NodeControlLimits.listenPatience))
        live.start(now: now)
    }

    mutating func stop() {
        state = .stopped
    }

    /// HELLO is due now, or with several publishers once it is within the rate; to the only one it
    /// is then repeated with growing pauses until it is welcomed.
    mutating func greet(requestID: UInt64, now: Instant) {
        backoff.reset()
        let due = rotation.areSeveral ? rotation.admit(at: now) : now
        state = .greeting(requestID: requestID, sentCount: 0, nextAt: due)
    }

    /// Leaves the present publisher for another one, which is greeted on a new connection once that
    /// is within the rate.
    ///
    /// - Parameter requestID: of the HELLO, and the least on that connection.
    mutating func change(_ cause: PublisherRotation.Cause, requestID: UInt64, now: Instant) {
        firstRequest = ControlRequestID.number(of: requestID)
        isChanged = true
        let due = rotation.leave(cause, now: now)
        state = .greeting(requestID: requestID, sentCount: 0, nextAt: due)
    }

    /// Whether an answer belongs to a connection that was left. Publishes keep their ids over
    /// connections.
    func isLate(_ requestID: UInt64) -> Bool {
        ControlRequestID.number(of: requestID) < firstRequest
            && ControlRequestID.kind(of: requestID) != .publish
    }

    /// On which connection to send the next HELLO.
    var connection: NodeControlAction {
        rotation.areSeveral ? .connectControl(endpoint: rotation.present) : .reconnectControl
    }

    /// Whether one of several publishers has not answered its HELLO in time.
    func isUnanswered(now: Instant) -> Bool {
        guard rotation.areSeveral, case .greeting(_, let count, let nextAt) = state else {
            return false
        }
        return count > 0 && nextAt <= now
    }

    /// The HELLO to send now, if one is due. After several without an answer the connection is
    /// replaced, because a vanished peer cannot be distinguished from a busy one; of several
    /// publishers each is greeted on a connection of its own.
    mutating func nextHello(now: Instant) -> (requestID: UInt64, needsConnection: Bool)? {
        guard case .greeting(let requestID, let count, let nextAt) = state, nextAt <= now else {
            return nil
        }
        let pause = rotation.areSeveral ? rotation.patience : backoff.next()
        state = .greeting(
            requestID: requestID, sentCount: count + 1, nextAt: now.advanced(by: pause))
        defer { isChanged = false }
        if rotation.areSeveral { return (requestID, isChanged) }
        let isConnectionOld = count.isMultiple(of: NodeControlLimits.hellosPerConnection)
        return (requestID, count > 0 && isConnectionOld)
    }

    /// - Returns: whether a WELCOME was awaited.
    mutating func welcomed(pingAt: Instant?, now: Instant) -> Bool {
        guard case .greeting = state else { return false }
        state = .joined(receivedAt: now, pingAt: pingAt)
        return true
    }

    /// Sets when the next PING is due, if the publisher knows this run.
    mutating func schedulePing(at pingAt: Instant?) {
        guard case .joined(let receivedAt, _) = state else { return }
        state = .joined(receivedAt: receivedAt, pingAt: pingAt)
    }

    /// Whether a PING must be sent now; the next one is scheduled.
    mutating func takePing(now: Instant) -> Bool {
        guard case .joined(_, let pingAt?) = state, pingAt <= now else { return false }
        let count =
            rotation.areSeveral
            ? NodeControlLimits.pingsPerLeaseOfSeveral : NodeControlLimits.pingsPerLease
        schedulePing(at: now.advanced(by: leaseLength / count))
        return true
    }

    /// The publisher stated its lease; 0: none.
    mutating func adopt(leaseMilliseconds: UInt32) {
        guard leaseMilliseconds > 0 else { return }
        leaseLength = min(
            max(.milliseconds(leaseMilliseconds), NodeControlLimits.leaseMin),
            NodeControlLimits.leaseMax)
    }

    /// - Parameter isRefusal: a refusal is not the requested answer.
    mutating func received(isRefusal: Bool, now: Instant) {
        if case .joined(_, let pingAt) = state {
            state = .joined(receivedAt: now, pingAt: pingAt)
        }
        if !isRefusal { answeredAt = now }
    }

    /// For how long nothing has been received; `nil` if the publisher does not know this run.
    func silence(now: Instant) -> Duration? {
        guard case .joined(let receivedAt, _) = state else { return nil }
        return now.elapsed(since: receivedAt)
    }
}

/// The live channel, and silence on both.
extension PublisherLink {
    enum Silence: Equatable {
        /// A PING must ask for an answer, once.
        case doubted
        /// One of several publishers is left.
        case lost(Duration)
    }

    /// Whether the subscription is that of the publisher that is addressed.
    private var isFollowingLive: Bool { !rotation.areSeveral || isJoined }

    /// When something is due on the live channel, or because of silence on both.
    var liveDeadline: Instant? {
        guard isFollowingLive else { return nil }
        guard let limits = silenceLimits else { return live.renewAt }
        return min(live.renewAt, probedAt < limits.doubted ? limits.doubted : limits.lost)
    }

    /// - Returns: how long the live channel has been silent, if it must be opened anew now.
    mutating func renewLive(now: Instant) -> Duration? {
        isFollowingLive ? live.renew(now: now) : nil
    }

    /// What is due because of silence on both channels of one of several publishers. It is asked
    /// for an answer before it is left: with a long lease few PINGs are sent.
    mutating func takeSilence(now: Instant) -> Silence? {
        guard let limits = silenceLimits else { return nil }
        if limits.lost <= now { return .lost(now.elapsed(since: limits.heardAt)) }
        guard limits.doubted <= now, probedAt < limits.doubted else { return nil }
        probedAt = now
        return .doubted
    }

    private var silenceLimits: (heardAt: Instant, doubted: Instant, lost: Instant)? {
        guard rotation.areSeveral, case .joined(let receivedAt, _) = state else { return nil }
        let heardAt = max(receivedAt, live.heartbeatAt ?? receivedAt)
        let limit = { (count: Int) in heardAt.advanced(by: live.interval * count) }
        return (
            heardAt, limit(NodeControlLimits.heartbeatsMissedBeforePing),
            limit(NodeControlLimits.heartbeatsMissedMax)
        )
    }

    /// One of several publishers has welcomed this run, and sends from this live endpoint.
    ///
    /// - Returns: what to do and report.
    mutating func follow(_ liveEndpoint: String, now: Instant) -> [NodeControlAction] {
        guard rotation.areSeveral else { return [] }
        var actions: [NodeControlAction] = []
        if live.follow(liveEndpoint, now: now) { actions.append(.subscribe(live: liveEndpoint)) }
        if rotation.welcomed() {
            actions.append(.report(.publisherLeads(endpoint: rotation.present)))
        }
        return actions
    }
}
