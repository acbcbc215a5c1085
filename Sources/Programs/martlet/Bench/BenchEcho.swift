import CacheWorkload
import LoadTest

/// A short load test against an echo of our own, before one against a cluster.
enum BenchEcho {
    /// How long it takes, with its beginning and its end.
    static let milliseconds: UInt64 = 4_000
    private static let duration: Duration = .seconds(3)

    /// The first phase that counts, as fast as it goes: what is asked for, in how many messages
    /// and from how many threads is the same.
    static func plan(before plan: LoadTestPlan) -> LoadTestPlan {
        let measured = plan.workload.phases.filter { !$0.isWarmUp }
        var phase = measured.first { !$0.isFill } ?? measured.first ?? WorkloadPhase(name: "")
        phase.name = "echo"
        phase.isFill = false
        phase.verifies = false
        phase.loop = .closed
        phase.duration = duration
        phase.operationCount = nil
        var echo = plan
        echo.workload = Workload(phases: [phase], seed: plan.workload.seed)
        echo.isEcho = true
        echo.invalidationsPerSecond = nil
        echo.startAt = nil
        return echo
    }
}
