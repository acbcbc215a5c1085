import CacheAccess
import CacheModel
import CacheWire

/// Events for the audit log: refusals because of missing permission, and orders about the node.
/// docs/decisions/0056 gives the reasons.
///
/// The shell takes them at the end of each group of requests: at most one for each.
struct AuditRecorder {
    private let isOn: Bool
    private var notes: [ShardAuditNote] = []
    /// The number of lines about denials of each principal.
    private var denials = DenialBudget()

    init(isOn: Bool) { self.isOn = isOn }

    var hasNotes: Bool { !notes.isEmpty }

    /// An order about the node was accepted.
    ///
    /// - Parameter sender: `nil` if it is in no access table.
    mutating func append(
        _ deed: AuditEvent.Deed, of frame: RequestFrame, by sender: AccessEntry?
    ) {
        guard isOn else { return }
        let event = AuditEvent(deed, by: AuditParty(sender))
        notes.append(ShardAuditNote(peer: frame.peer, event: event))
    }

    /// A message was refused because of missing permission.
    mutating func appendDenial(
        of frame: RequestFrame, by sender: AccessEntry?, _ refusal: WireRefusal
    ) {
        guard isOn, frame.bytes.count >= MessageHeader.encodedBytes,
            let type = MessageType(rawValue: frame.bytes[3])
        else { return }
        let missing = AccessDenial.missing(refusal.sentence)
        append(.denied(message: "\(type)", missing: missing), of: frame, by: sender)
    }

    /// The lines to write, see ``ShardCore/takeAuditNotes(now:)``.
    mutating func takeNotes(now: Instant) -> [ShardAuditNote] {
        var taken = denials.takeLeftOut(now: now).map { ShardAuditNote(peer: nil, event: $0) }
        for note in notes {
            if case .denied = note.event.deed, let party = note.event.party,
                !denials.mayNote(party, now: now)
            {
                continue
            }
            taken.append(note)
        }
        notes.removeAll(keepingCapacity: true)
        return taken
    }
}
