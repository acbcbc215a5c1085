import CacheModel

/// The control connection: how far the publisher knows this run, and what is due there.
///
///     idle ── start ─▶ listening ── heartbeat, or time ─▶ greeting ── WELCOME ─▶ joined
///     any ── stop ─▶ stopped                                  ▲                    │
///                                                             └ silent, restarted ─┘
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
    /// The limit of silence. A PING is sent ``NodeControlLimits/pingsPerLease`` times in it.
    private(set) var leaseLength = NodeControlLimits.leaseDefault
    /// Between two HELLOs.
    private var backoff: Backoff

    init(seed: UInt64) {
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
    }

    mutating func stop() {
        state = .stopped
    }

    /// HELLO is due now, and then with growing pauses until it is welcomed.
    mutating func greet(requestID: UInt64, now: Instant) {
        backoff.reset()
        state = .greeting(requestID: requestID, sentCount: 0, nextAt: now)
    }

    /// The HELLO to send now, if one is due. After several without an answer the connection is
    /// replaced, because a vanished peer cannot be distinguished from a busy one.
    mutating func nextHello(now: Instant) -> (requestID: UInt64, needsConnection: Bool)? {
        guard case .greeting(let requestID, let count, let nextAt) = state, nextAt <= now else {
            return nil
        }
        state = .greeting(
            requestID: requestID, sentCount: count + 1, nextAt: now.advanced(by: backoff.next()))
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
        schedulePing(at: now.advanced(by: leaseLength / NodeControlLimits.pingsPerLease))
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
