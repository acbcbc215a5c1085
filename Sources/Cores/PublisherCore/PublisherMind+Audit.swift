import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// The events that get a line in the audit log. docs/decisions/0056 gives the reasons.
///
/// An order that was refused because a limit was reached had no effect and gets no line.
extension PublisherMind {
    /// The sender of a message that may be audited later, when the frame is gone.
    func party(of message: MessageView) -> AuditParty? {
        guard isAudited else { return nil }
        switch message.type {
        case .invalidate, .pace, .forget, .follow: return AuditParty(sender, address: senderAddress)
        default: return nil
        }
    }

    func note(
        _ deed: AuditEvent.Deed, by party: AuditParty?, into actions: inout [PublisherAction]
    ) {
        guard isAudited, let party else { return }
        actions.append(.audit(AuditEvent(deed, by: party)))
    }

    /// Records a message that was denied for a missing right.
    mutating func noteDenial(
        of frame: UnsafeRawBufferPointer, by principal: PrincipalNumber, _ refusal: WireRefusal,
        now: Instant, into actions: inout [PublisherAction]
    ) {
        guard isAudited, frame.count >= MessageHeader.encodedBytes,
            let type = MessageType(rawValue: frame[3])
        else { return }
        let party = AuditParty(access?.entry(of: principal), address: senderAddress)
        noteDenial(of: type, by: party, refusal.sentence, now: now, into: &actions)
    }

    /// Records a message that was denied for a missing right; `sentence` names the right.
    mutating func noteDenial(
        of type: MessageType, by party: AuditParty?, _ sentence: String, now: Instant,
        into actions: inout [PublisherAction]
    ) {
        guard isAudited, let party else { return }
        noteLeftOut(now: now, into: &actions)
        guard denials.mayNote(party, now: now) else { return }
        let missing = AccessDenial.missing(sentence)
        note(.denied(message: "\(type)", missing: missing), by: party, into: &actions)
    }

    /// Reports how many denials have no line, once their second is over.
    mutating func noteLeftOut(now: Instant, into actions: inout [PublisherAction]) {
        guard isAudited else { return }
        for event in denials.takeLeftOut(now: now) { actions.append(.audit(event)) }
    }

    /// Records orders that are in the log. Echoes and slices have no asker and get no line.
    ///
    /// - Parameter position: of the first new record; `nil` if none is new.
    func noteOrders(
        _ placed: [Placed], newSince position: LogPosition?, into actions: inout [PublisherAction]
    ) {
        guard isAudited else { return }
        for one in placed {
            guard let asker = one.queued.asker else { continue }
            let request = one.queued.request
            let deed = AuditEvent.Deed.invalidated(
                .init(request.scopes, request.strength), at: one.position,
                wait: request.wait.description,
                isRepeated: position.map { one.position < $0 } ?? true)
            note(deed, by: asker.party, into: &actions)
        }
    }

    /// Records the end of a wait. A request that waited for no node gets no receipt line.
    func noteReceipt(
        _ outcome: ReceiptOutcome, to asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) {
        guard isAudited, outcome.order.goal != .nothing else { return }
        // When the publisher stops, it ends all waits with the greatest instant.
        let isOver = now == Instant(nanoseconds: .max)
        let appendedAt = isOver ? nil : recent[outcome.order.position]?.appendedAt
        let receipt = AuditEvent.Receipt(
            isComplete: outcome.isComplete, appliedCount: outcome.applied.count,
            expiredCount: outcome.expired.count, pendingCount: outcome.pending.count,
            milliseconds: appendedAt.map { now.elapsed(since: $0).wholeMilliseconds })
        note(.receipt(receipt, of: outcome.order.position), by: asker.party, into: &actions)
    }

    /// Records that a paced invalidation was begun or cancelled, once that is stored.
    func note(
        _ waiting: PaceKeeping.Waiting, _ pacing: Pacing, into actions: inout [PublisherAction]
    ) {
        guard isAudited else { return }
        let request = pacing.request
        let deed: AuditEvent.Deed =
            waiting.isCancelling
            ? .paceCancelled(pacing.id)
            : .paced(
                .init(request.scopes, request.strength), pacing.id,
                spanMilliseconds: request.spanMilliseconds)
        note(deed, by: waiting.asker.party, into: &actions)
    }
}
