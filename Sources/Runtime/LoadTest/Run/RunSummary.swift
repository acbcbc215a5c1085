import CacheWorkload

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
