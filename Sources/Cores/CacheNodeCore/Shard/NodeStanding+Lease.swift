import CacheModel

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
