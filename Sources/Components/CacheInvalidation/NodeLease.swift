package import CacheModel
import DequeModule

/// The time for which a node may call its entries fresh, on the node's own clock that also runs
/// while the machine sleeps.
///
/// A PONG carries a lease L and the publisher's head. The lease runs to *the PING's sending* + L,
/// once everything up to that head has been applied – if need be completed later, when applied
/// gets there in time:
///
///     pinged t0 ──▶ ponged(head 9, L) ──▶ applied 7 … applied 9 ──▶ held until t0 + L
///
/// It counts from the sending, so it never runs longer than the publisher's own count, however
/// long the PONG took. PONGs may come in any order, late or never.
package struct NodeLease: Sendable {
    private struct Grant: Sendable {
        var head: LogPosition
        var expiresAt: Instant
    }

    /// The times at which PINGs were sent that may still be answered.
    private var pings: Deque<Instant> = []
    private var pending: [Grant] = []
    private var applied: LogPosition = .none
    private let guards: Guards

    /// The moment from which nothing may be called fresh; `nil` while no lease was ever
    /// completed, or since it was revoked. It may have passed.
    package private(set) var expiresAt: Instant?

    package init(guards: Guards = .all) {
        self.guards = guards
    }

    /// A PING was sent.
    package mutating func pinged(at now: Instant) {
        if pings.count == SubscriberLimits.pingsMax { pings.removeFirst() }
        pings.append(now)
    }

    /// A PONG came for the PING sent at `sentAt`. A lease of zero grants nothing and revokes
    /// nothing. A PONG to no PING of ours is ignored, so that no other sender's number becomes a
    /// lease.
    package mutating func ponged(sentAt: Instant, head: LogPosition, lease: Duration) {
        guard let index = pings.firstIndex(of: sentAt) else { return }
        pings.remove(at: index)
        guard lease > .zero else { return }
        let grant = Grant(head: head, expiresAt: sentAt.advanced(by: lease))
        if applied >= head || !guards.isOn(.leaseAfterHead) {
            complete(grant)
        } else {
            if pending.count == SubscriberLimits.pendingGrantsMax { pending.removeFirst() }
            pending.append(grant)
        }
    }

    /// Every shard has applied everything up to `position`; ``LogPosition/none`` while some have
    /// yet to say so.
    package mutating func applied(_ position: LogPosition) {
        applied = position
        for grant in pending where applied >= grant.head { complete(grant) }
        pending.removeAll { applied >= $0.head }
    }

    /// Whether entries may be called fresh at `now`.
    package func isHeld(at now: Instant) -> Bool {
        expiresAt.map { now < $0 } ?? false
    }

    /// Gives up the lease and everything that could still become one.
    package mutating func revoke() {
        expiresAt = nil
        pings.removeAll()
        pending.removeAll()
    }

    private mutating func complete(_ grant: Grant) {
        expiresAt = max(expiresAt ?? grant.expiresAt, grant.expiresAt)
    }
}
