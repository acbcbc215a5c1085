import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// The events that get a line in the audit log. docs/decisions/0056 gives the reasons.
///
/// An order that was refused because a limit was reached had no effect and gets no line.
extension PublisherMind {
    /// Records orders that are in the log. Echoes and slices have no requester and get no line.
    ///
    /// - Parameter position: of the first new record; `nil` if none is new.
    mutating func noteOrders(
        _ placed: [Placed], newSince position: LogPosition?
    ) {
        guard output.isAudited else { return }
        for one in placed {
            guard let requester = one.queued.requester else { continue }
            let request = one.queued.request
            let deed = AuditEvent.Deed.invalidated(
                .init(request.scopes, request.strength), at: one.position,
                wait: request.wait.description,
                isRepeated: position.map { one.position < $0 } ?? true)
            output.audit(deed, by: requester.party)
        }
    }

    /// Records the end of a wait. A request that waited for no node gets no receipt line.
    mutating func noteReceipt(
        _ outcome: ReceiptOutcome, to requester: Requester, now: Instant
    ) {
        guard output.isAudited, outcome.order.goal != .nothing else { return }
        // When the publisher stops, it ends all waits with the greatest instant.
        let isOver = now == Instant(nanoseconds: .max)
        let appendedAt = isOver ? nil : recent[outcome.order.position]?.appendedAt
        let receipt = AuditEvent.Receipt(
            isComplete: outcome.isComplete, appliedCount: outcome.applied.count,
            expiredCount: outcome.expired.count, pendingCount: outcome.pending.count,
            milliseconds: appendedAt.map { now.elapsed(since: $0).wholeMilliseconds })
        output.audit(.receipt(receipt, of: outcome.order.position), by: requester.party)
    }

    /// Records that a paced invalidation was begun or cancelled, once that is stored.
    mutating func note(
        _ waiting: PaceKeeping.Waiting, _ pacing: Pacing
    ) {
        guard output.isAudited else { return }
        let request = pacing.request
        let deed: AuditEvent.Deed =
            waiting.isCancelling
            ? .paceCancelled(pacing.id)
            : .paced(
                .init(request.scopes, request.strength), pacing.id,
                spanMilliseconds: request.spanMilliseconds)
        output.audit(deed, by: waiting.requester.party)
    }
}
