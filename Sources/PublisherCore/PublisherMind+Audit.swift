import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

/// What of this is worth a line in the audit log. docs/decisions/0056 gives the reasons.
///
/// What was not done has none: an order that was refused for want of room is no deed.
extension PublisherMind {
    /// Who sent a message whose deed may be noted later, when the frame is gone.
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

    /// Somebody was refused for want of a right.
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

    /// Somebody was refused for want of a right, as that sentence says.
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

    /// Says how many denials have no line, once their second is over.
    mutating func noteLeftOut(now: Instant, into actions: inout [PublisherAction]) {
        guard isAudited else { return }
        for event in denials.takeLeftOut(now: now) { actions.append(.audit(event)) }
    }

    /// Orders that are in the log. Echoes and slices are nobody's.
    ///
    /// - Parameter position: of the first that was not there before; `nil` if all were.
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

    /// A wait is over. Who waited for nothing has no receipt worth a line.
    func noteReceipt(
        _ outcome: ReceiptOutcome, to asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) {
        guard isAudited, outcome.order.goal != .nothing else { return }
        // The publisher's end asks for what is known at the end of time.
        let isOver = now == Instant(nanoseconds: .max)
        let appendedAt = isOver ? nil : recent[outcome.order.position]?.appendedAt
        let receipt = AuditEvent.Receipt(
            isComplete: outcome.isComplete, appliedCount: outcome.applied.count,
            expiredCount: outcome.expired.count, pendingCount: outcome.pending.count,
            milliseconds: appendedAt.map { now.elapsed(since: $0).wholeMilliseconds })
        note(.receipt(receipt, of: outcome.order.position), by: asker.party, into: &actions)
    }

    /// A paced invalidation was begun, or cancelled, and that is kept.
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
