import CacheAccess
package import CacheModel
import CacheWire

/// Events for the audit log: refusals because of missing permission, and orders about the node.
/// docs/decisions/0056 gives the reasons.
///
/// Kept until the shell takes them, at the end of each group of requests: at most one for each.
extension ShardCore {
    /// Whether there are notes to take.
    package var hasAuditNotes: Bool { !auditNotes.isEmpty }

    /// A message was refused because of missing permission.
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

    /// The notes to write. The number of lines for denials is limited for each principal, and one
    /// line states how many were left out: to be called now and then even without new notes.
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

    /// The issuer of invalidations that the node requests for a principal.
    func issuer(of principal: PrincipalNumber) -> Issuer? {
        access?.entry(of: principal).flatMap { Issuer($0.name) }
    }
}
