package import CacheModel

/// What a node guarantees about its answers, in the form that its shards need.
///
/// A shard compares its own clock with ``leaseExpiresAt`` at each reply, after the lookup: the
/// state alone may be older than the lease.
package struct NodeStanding: Hashable, Sendable {
    package var state: NodeState
    /// From this moment on nothing may be called fresh. The smallest instant without a lease.
    package var leaseExpiresAt: Instant
    /// Until when the node could vouch for its entries: the end of its last lease, or when it gave
    /// that up. `nil`: it never had one.
    package var vouchedUntil: Instant?
    package var log: LogID
    /// The highest position known to exist.
    package var head: LogPosition
    /// The version of the topology last distributed; 0 before the first.
    package var topologyVersion: UInt32
    /// The cluster of the log; none if not reported.
    package var cluster = ClusterID.none
    /// Why the node is not live; `nil` if it is.
    package var doubt: StandingDoubt?

    package init(
        state: NodeState, leaseExpiresAt: Instant, log: LogID, head: LogPosition,
        topologyVersion: UInt32
    ) {
        self.state = state
        self.leaseExpiresAt = leaseExpiresAt
        self.log = log
        self.head = head
        self.topologyVersion = topologyVersion
    }

    /// The standing of a node that has not received anything.
    package static let unheard = NodeStanding(
        state: .starting, leaseExpiresAt: Instant(nanoseconds: 0), log: .none, head: .none,
        topologyVersion: 0)

    /// Whether its state is one with a lease, and it was granted one: a node can be told to leave
    /// before its first lease, and is DRAINING then.
    package var wasGrantedLease: Bool { state.hasLease && leaseExpiresAt > Instant(nanoseconds: 0) }

    /// The time for which entries may still be called fresh; zero without a lease.
    package func leaseLeft(at now: Instant) -> Duration {
        state.hasLease ? leaseExpiresAt.elapsed(since: now) : .zero
    }

    /// Whether the node could vouch for its entries at `now`, or no longer ago than `window`.
    package func hasVouched(within window: Duration, of now: Instant) -> Bool {
        let leaseEnd = leaseExpiresAt > Instant(nanoseconds: 0) ? leaseExpiresAt : nil
        return (vouchedUntil ?? leaseEnd).map { now < $0.advanced(by: window) } ?? false
    }
}

extension NodeStanding {
    /// Whether entries may be called fresh at `now`: checked for every answer, because a lease ends
    /// without an event.
    func holdsLease(at now: Instant) -> Bool {
        state.hasLease && now < leaseExpiresAt
    }

    /// The state as of `now`: the end of a lease makes a node suspect without an event.
    func state(at now: Instant) -> NodeState {
        state.hasLease && state != .draining && !holdsLease(at: now) ? .suspect : state
    }

    /// Milliseconds for which entries may still be called fresh; 0 without a lease.
    func leaseLeftMilliseconds(at now: Instant) -> UInt32 {
        guard holdsLease(at: now) else { return 0 }
        return UInt32(clamping: leaseExpiresAt.millisecondsSince(now))
    }
}

/// Why a node is not live, for its metrics. Nothing is decided by it.
///
/// Growing durations are reported by the moment they began, so that shards need no updates.
package struct StandingDoubt: Hashable, Sendable {
    package var reason: StandingReason
    /// When the explained state began.
    package var since: Instant
    /// When the publisher last answered; `nil` if it never did.
    package var answeredAt: Instant?
    /// When its last heartbeat came; `nil` if none ever did.
    package var heartbeatAt: Instant?

    package init(_ reason: StandingReason, since: Instant) {
        self.reason = reason
        self.since = since
    }
}
