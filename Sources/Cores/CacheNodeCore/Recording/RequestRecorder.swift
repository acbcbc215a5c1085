import CacheAccess
package import CacheModel
import CacheWire

/// The records of a shard about the requests that it answers: requests that waited, sampled
/// operations, events for the audit log.
///
///     reply closed ──▶ samples ─┐
///     wait ended ────▶ waits ───┼─▶ take…() by the shell, at the end of a turn
///     denial, order ─▶ audit ───┘
///
/// Write only: no decision depends on it. Each list is bounded, or has at most one record for each
/// request until the shell takes it.
struct RequestRecorder {
    var waits: WaitRecorder
    var samples: SampleRecorder
    var audit: AuditRecorder

    init(_ options: ShardOptions) {
        waits = WaitRecorder(slowAfter: options.slowAfter, recordsTraces: options.notesTraces)
        samples = SampleRecorder(every: options.sampleEvery, seed: options.seed)
        audit = AuditRecorder(isOn: options.isAudited)
    }
}

/// The shell takes the records.
extension ShardCore {
    package var hasSlowNotes: Bool { recorder.waits.hasSlow }
    package var hasSpanNotes: Bool { recorder.waits.hasSpans }
    package var hasSampleNotes: Bool { recorder.samples.hasNotes }
    package var hasAuditNotes: Bool { recorder.audit.hasNotes }

    package mutating func takeSlowNotes() -> [ShardWaitNote] { recorder.waits.takeSlow() }

    /// The waits of recorded traces since the last call, and the number of those left out for lack
    /// of space.
    package mutating func takeSpanNotes() -> (notes: [ShardWaitNote], leftOut: Int) {
        recorder.waits.takeSpans()
    }

    /// The samples since the last call, and the number of those left out for lack of space.
    package mutating func takeSampleNotes() -> (notes: [ShardSampleNote], leftOut: Int) {
        recorder.samples.takeNotes()
    }

    /// The lines of the audit log. The number of lines for denials is limited for each principal,
    /// and one line states how many were left out: to be called now and then even without new ones.
    package mutating func takeAuditNotes(now: Instant) -> [ShardAuditNote] {
        recorder.audit.takeNotes(now: now)
    }
}

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
