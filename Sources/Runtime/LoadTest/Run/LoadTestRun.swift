import CacheWorkload
import MartletClient
import Threading

/// A load test: threads that load a cluster, and their measurements.
///
///      LoadTestPlan ─▶ WorkerThread × n ══▶ cluster, or an echo of our own
///                          │  gate before each phase
///                          ▼
///                     PhaseFigures, merged ─▶ RunFigures ─▶ table · JSON · report
///
/// ### Threads
/// ``run()`` blocks the calling thread. The load's own threads share only a stop signal, the gates
/// and the board to which they post each completed second. Any thread may read the board and raise
/// the signal meanwhile.
///
/// ### Limits
/// It prints nothing and reads no arguments: the command does.
package final class LoadTestRun: Sendable {
    package let stop = StopSignal()
    package let board = ProgressBoard()
    private let plan: LoadTestPlan

    package init(_ plan: LoadTestPlan) {
        precondition(!plan.workload.phases.isEmpty, "a load test has a phase")
        precondition(
            LoadTestLimits.threads.contains(plan.threadCount), "a load test has 1 to 256 threads")
        self.plan = plan
    }

    /// Runs all phases, and waits for the end.
    ///
    /// If the cluster is lost on the way, the run ends, and ``RunFigures/failure`` is set beside
    /// the measurements up to then.
    ///
    /// - Throws: ``LoadTestFailure`` if nothing was measured at all: the cluster is unreachable, or
    ///   the system provides no more threads or sockets.
    package func run() throws(LoadTestFailure) -> RunFigures {
        let echo = try makeEcho()
        defer { echo?.stop() }
        let endpoints = echo?.endpoints ?? plan.endpoints
        let crew = Crew(self, plan, try layout(endpoints), endpoints)
        let harvests = try work(crew)
        let failure = harvests.compactMap(\.failure).first
        let hasFigures = harvests.contains { harvest in harvest.phases.contains { $0 != nil } }
        if let failure, !hasFigures { throw .cluster(failure) }
        var figures = RunSummary(crew).figures(harvests)
        figures.failure = failure?.message
        return figures
    }

    private func makeEcho() throws(LoadTestFailure) -> EchoServer? {
        guard plan.isEcho else { return nil }
        let largest = plan.workload.phases.reduce(0.0) { max($0, $1.valueSize.meanBytes) }
        do {
            return try EchoServer(shardCount: plan.threadCount, valueBytes: Int(largest))
        } catch {
            throw .system("the echo does not start: \(error)")
        }
    }

    private func layout(_ endpoints: [String]) throws(LoadTestFailure) -> ClusterLayout {
        let layout = TopologyQuestion.layout(
            endpoints, keys: plan.clusterKeys, timeout: plan.timeout)
        if let layout { return layout }
        // A connection attempt reports the cause more precisely.
        do throws(CacheError) {
            _ = try DriverLine(
                endpoints, ConnectionShape(), keys: plan.clusterKeys, timeout: .milliseconds(50))
        } catch {
            throw .cluster(error)
        }
        throw .system("the cluster answers too slowly; give it more time with --timeout")
    }

    private func work(_ crew: Crew) throws(LoadTestFailure) -> [WorkerThread.Harvest] {
        do {
            // If one thread does not start, the others wait at the gate until the process ends.
            let threads = try (0..<crew.threadCount).map { index in
                let worker = WorkerThread(crew: crew, index: index)
                return try OwnedThread(name: "bench \(index)") { worker.run() }
            }
            return threads.map { $0.join() }
        } catch {
            stop.raise(.failure)
            throw .system("a thread does not start: \(error)")
        }
    }
}
