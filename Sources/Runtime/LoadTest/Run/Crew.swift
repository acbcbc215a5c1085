import CacheModel
import CacheVerification
import CacheWorkload
import Threading

/// The state that the threads of a run share.
struct Crew: Sendable {
    let plan: LoadTestPlan
    let layout: ClusterLayout
    let endpoints: [String]
    /// The requested number, or more: see ``ClusterLayout/threadCount(for:)``.
    let threadCount: Int
    let stop: StopSignal
    let board: ProgressBoard
    let ledger: PhaseLedger
    let stamp: RunStamp
    private let gates: [PhaseGate]

    init(_ run: LoadTestRun, _ plan: LoadTestPlan, _ layout: ClusterLayout, _ endpoints: [String]) {
        self.plan = plan
        self.layout = layout
        self.endpoints = endpoints
        let count = layout.threadCount(for: plan)
        threadCount = count
        stop = run.stop
        board = run.board
        ledger = PhaseLedger(phaseCount: plan.workload.phases.count)
        stamp = RunStamp(UInt64.random(in: .min ... .max))
        gates = plan.workload.phases.map { _ in PhaseGate(threadCount: count) }
    }

    func target(of thread: Int) -> DriverTarget {
        var target = layout.target(of: thread, worker: plan.worker)
        target.isEcho = plan.isEcho
        return target
    }

    /// Waits until all threads are ready.
    ///
    /// - Returns: when the phase begins.
    func pass(_ phase: Int) -> UInt64 {
        gates[phase].arrive {
            let ready = MonotonicClock.now.nanoseconds + LoadTestLimits.startDelay
            let wanted = phase == 0 ? plan.startAt.map(WallClock.moment) : nil
            let start = max(ready, wanted ?? 0)
            let workload = plan.workload.phases[phase]
            let seconds = workload.isFill ? nil : workload.duration.map { $0 / .seconds(1) }
            board.begin(
                ProgressBoard.Phase(
                    name: workload.name, plannedSeconds: seconds, startedAt: start),
                threadCount: threadCount)
            ledger.begin(phase, at: start)
            return start
        }
    }
}

/// A barrier of the threads of a run before a phase; the last thread opens it.
final class PhaseGate: Sendable {
    private let threadCount: Int
    private let arrived = Guarded(0)
    private let opened = Promise<UInt64>()

    init(threadCount: Int) { self.threadCount = threadCount }

    /// Waits until every thread has arrived.
    ///
    /// - Parameter open: called by the last thread; returns when the phase begins.
    /// - Returns: when the phase begins, the same for all.
    func arrive(_ open: () -> UInt64) -> UInt64 {
        let isLast = arrived.withLock { count in
            count += 1
            return count == threadCount
        }
        if isLast { opened.fulfil(open()) }
        return opened.wait()
    }
}

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
