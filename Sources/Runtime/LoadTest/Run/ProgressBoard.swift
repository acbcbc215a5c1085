import Threading

/// The latest moments of the threads of a run, for a display while the run goes on.
///
/// Each thread posts a moment when it is over, and leaves when it has ended the phase. No thread
/// waits for another.
package final class ProgressBoard: Sendable {
    /// The running phase, and the newest moment that every working thread has posted.
    package struct Snapshot: Sendable {
        package var phase = ""
        package var elapsedSeconds = 0.0
        /// The planned duration of the phase; `nil` if a number of requests ends it.
        package var plannedSeconds: Double?
        /// `nil` before the first moment is over.
        package var moment: Moment?
    }

    /// A phase as it begins.
    struct Phase: Sendable {
        var name = ""
        var plannedSeconds: Double?
        var startedAt: UInt64 = 0
    }

    private struct State {
        var isOver = false
        var phase = Phase()
        /// The newest moment that each thread has posted; `Int.max` once it has left.
        var told: [Int] = []
        var collected: [Int: Moment] = [:]
        var complete: Moment?

        /// Shows the newest moment that every working thread has posted.
        mutating func advance() {
            let reached = told.min() ?? -1
            guard let newest = collected.keys.filter({ $0 <= reached }).max() else { return }
            complete = collected[newest]
            // A late thread must not make an old moment the newest.
            collected = collected.filter { $0.key > newest }
        }
    }

    private let state = Guarded(State())

    package init() {}

    /// A phase begins.
    func begin(_ phase: Phase, threadCount: Int) {
        state.withLock {
            $0 = State(phase: phase, told: Array(repeating: -1, count: threadCount))
        }
    }

    /// Nothing more will be posted.
    package func end() { state.withLock { $0.isOver = true } }

    package var isOver: Bool { state.withLock { $0.isOver } }

    /// A thread's moment with that number is over; moments come in order.
    func post(_ moment: Moment, index: Int, of thread: Int) {
        state.withLock { state in
            state.collected[index, default: Moment()].merge(moment)
            state.told[thread] = max(state.told[thread], index)
            state.advance()
        }
    }

    /// A thread has ended the phase: its moments are no longer waited for.
    func leave(_ thread: Int) {
        state.withLock { state in
            guard state.told.indices.contains(thread) else { return }
            state.told[thread] = .max
            state.advance()
        }
    }

    /// The progress at that moment.
    package func snapshot(at now: UInt64) -> Snapshot {
        state.withLock { state in
            let phase = state.phase
            var snapshot = Snapshot(phase: phase.name, plannedSeconds: phase.plannedSeconds)
            if phase.startedAt > 0, now > phase.startedAt {
                snapshot.elapsedSeconds = Double(now - phase.startedAt) / 1e9
            }
            snapshot.moment = state.complete
            return snapshot
        }
    }
}
