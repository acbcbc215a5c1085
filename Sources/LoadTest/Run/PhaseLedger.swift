import Threading

/// What a run knows of each phase beside what its threads have measured: when it began, and what
/// the process used.
final class PhaseLedger: Sendable {
    struct Entry: Sendable {
        var startedAt: UInt64 = 0
        var startedAtWall: UInt64 = 0
        var processorAtStart: Double?
        var processorAtEnd: Double?
    }

    private let entries: Guarded<[Entry]>

    init(phaseCount: Int) {
        entries = Guarded(Array(repeating: Entry(), count: phaseCount))
    }

    /// The gate has opened: the phase begins at that monotonic moment, which may be far away.
    func begin(_ phase: Int, at moment: UInt64) {
        let wall = WallClock.milliseconds(at: moment)
        entries.withLock {
            $0[phase].startedAt = moment
            $0[phase].startedAtWall = wall
        }
    }

    /// A thread begins to ask; the first one counts.
    func start(_ phase: Int) {
        let processor = ProcessorClock.ofProcess
        entries.withLock {
            if $0[phase].processorAtStart == nil { $0[phase].processorAtStart = processor }
        }
    }

    /// A thread has ended the phase; the last one counts.
    func end(_ phase: Int) {
        let processor = ProcessorClock.ofProcess
        entries.withLock { $0[phase].processorAtEnd = processor }
    }

    subscript(phase: Int) -> Entry { entries.withLock { $0[phase] } }
}
