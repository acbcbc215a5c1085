import Threading

/// Facts about each phase beside its threads' measurements: its start, and the processor time of
/// the process.
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

    /// The gate has opened: the phase begins at that monotonic time, perhaps much later.
    func begin(_ phase: Int, at moment: UInt64) {
        let wall = WallClock.milliseconds(at: moment)
        entries.withLock {
            $0[phase].startedAt = moment
            $0[phase].startedAtWall = wall
        }
    }

    /// A thread begins to send; the first one counts.
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
