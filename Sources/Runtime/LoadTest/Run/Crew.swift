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
