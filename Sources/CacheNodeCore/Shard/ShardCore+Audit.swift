import CacheAccess
package import CacheModel
import CacheWire

/// What of this is worth a line in the audit log: refusals for want of a right, and orders about
/// the node. docs/decisions/0056 gives the reasons.
///
/// Kept until the shell takes it, at the end of each group of requests: at most one for each.
extension ShardCore {
    /// Whether there is something to take.
    package var hasAuditNotes: Bool { !auditNotes.isEmpty }

    /// Somebody was refused for want of a right.
    mutating func noteDenial(_ frame: RequestFrame, _ refusal: WireRefusal) {
        guard options.isAudited, frame.bytes.count >= MessageHeader.encodedBytes,
            let type = MessageType(rawValue: frame.bytes[3])
        else { return }
        let missing = AccessDenial.missing(refusal.sentence)
        note(.denied(message: "\(type)", missing: missing), of: frame)
    }

    mutating func note(_ deed: AuditEvent.Deed, of frame: RequestFrame) {
        guard options.isAudited else { return }
        let party = AuditParty(access?.entry(of: frame.principal))
        auditNotes.append(
            ShardAuditNote(peer: frame.peer, event: AuditEvent(deed, by: party)))
    }

    /// What is to be written. Of denials only so many of each key have a line, and one says how
    /// many were left out: to be asked also when nothing new is there, now and then.
    package mutating func takeAuditNotes(now: Instant) -> [ShardAuditNote] {
        var taken = denials.takeLeftOut(now: now).map { ShardAuditNote(peer: nil, event: $0) }
        for note in auditNotes {
            if case .denied = note.event.deed, let party = note.event.party,
                !denials.mayNote(party, now: now)
            {
                continue
            }
            taken.append(note)
        }
        auditNotes.removeAll(keepingCapacity: true)
        return taken
    }

    /// For whom the node orders something of the publisher.
    func issuer(of principal: PrincipalNumber) -> Issuer? {
        access?.entry(of: principal).flatMap { Issuer($0.name) }
    }
}
