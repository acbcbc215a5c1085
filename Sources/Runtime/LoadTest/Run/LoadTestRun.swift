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

/// Combines the results of the threads into the figures of one run.
struct RunSummary {
    private let crew: Crew
    private var plan: LoadTestPlan { crew.plan }

    init(_ crew: Crew) { self.crew = crew }

    func figures(_ harvests: [WorkerThread.Harvest]) -> RunFigures {
        var figures = RunFigures(
            title: plan.title, version: plan.version, subject: plan.subject)
        figures.asked = plan.asked
        if crew.threadCount > plan.threadCount {
            figures.asked.append(
                RunFigures.Fact(
                    "threads in use", "\(crew.threadCount), so that each node is asked"))
        }
        figures.isEcho = plan.isEcho
        figures.workers = [worker]
        for index in plan.workload.phases.indices {
            let parts = harvests.compactMap { $0.phases[index] }
            guard var phase = parts.first else { continue }
            for part in parts.dropFirst() { phase.merge(part) }
            complete(&phase, index)
            figures.phases.append(phase)
        }
        for part in harvests.compactMap(\.verification) {
            if figures.verification == nil {
                figures.verification = part
            } else {
                figures.verification?.merge(part)
            }
        }
        figures.wasCutShort = crew.stop.reason == .asked
        return figures
    }

    /// Adds the facts about the process as a whole.
    private func complete(_ phase: inout PhaseFigures, _ index: Int) {
        let entry = crew.ledger[index]
        let runStart = crew.ledger[0].startedAt
        if index < plan.phaseTexts.count { phase.asked = plan.phaseTexts[index] }
        phase.offsetSeconds = Double(entry.startedAt - min(entry.startedAt, runStart)) / 1e9
        // The I/O threads belong to the load, too; those of an echo do not.
        guard !plan.isEcho, let begun = entry.processorAtStart, let ended = entry.processorAtEnd
        else { return }
        phase.generator.processorSeconds = ended - begun
        phase.generator.threadSeconds = 2 * Double(crew.threadCount) * phase.seconds
    }

    private var worker: WorkerFigures {
        let connections = plan.workload.phases.reduce(0) { max($0, $1.connectionCount) }
        var worker = WorkerFigures(
            machine: .read(), threadCount: crew.threadCount,
            connectionCount: max(connections, crew.threadCount))
        if plan.worker.count > 1 {
            worker.part = WorkerFigures.Part(
                number: plan.worker.index + 1, of: plan.worker.count)
        }
        if crew.layout.isReplicated {
            worker.askedNodes = WorkerFigures.AskedNodes(
                crew.layout.askedCount(threadCount: crew.threadCount),
                of: crew.layout.nodes.count)
        }
        let started = crew.ledger[0].startedAtWall
        worker.startedAt = started == 0 ? nil : started
        return worker
    }
}
