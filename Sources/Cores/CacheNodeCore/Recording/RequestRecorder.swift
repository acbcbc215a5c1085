package import CacheModel

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
