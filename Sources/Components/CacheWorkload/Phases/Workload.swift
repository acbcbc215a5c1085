/// The requests of a load test and their times: phases, one after the other.
///
///      flags, a file ──▶ Workload
///                          │ phases, in order
///                          ▼
///                      WorkloadPhase ── for each thread, by its ThreadShare:
///                          ├─▶ RequestStream      which operation on which key, of what size
///                          └─▶ ArrivalBacklog     when it is due, and what waits since
///                                └ ArrivalSchedule
///      a trace    ───────▶ TracePace              when what was recorded is due again
///
/// ### Threads
/// All of these are values. A thread of a load test makes its own stream and backlog for each
/// phase, and reads them in its loop. Threads share nothing, and a request allocates nothing.
///
/// ### Determinism
/// They read no clock and use no random source: the caller passes times, and all else follows from
/// the seed and the thread's share. The same workload, seed and number of threads request the same
/// keys in the same order on every machine.
package struct Workload: Hashable, Sendable {
    package var phases: [WorkloadPhase]
    package var seed: UInt64 = 1

    package init(phases: [WorkloadPhase], seed: UInt64 = 1) {
        self.phases = phases
        self.seed = seed
    }

    /// The seed of one phase, so that each phase has its own sequence of keys.
    package func seed(of phase: Int) -> UInt64 { seed &+ UInt64(phase) &* 0xD129_0B26_9A1F_3C47 }
}

extension Workload {
    /// All problems, phase by phase; empty if the workload can be run.
    ///
    /// - Parameters:
    ///   - threadCount: threads of this machine.
    ///   - workerCount: machines that test together.
    package func problems(threadCount: Int = 1, workerCount: Int = 1) -> [WorkloadProblem] {
        guard WorkloadLimits.phases.contains(phases.count) else {
            let sentence =
                phases.isEmpty
                ? "there is no phase; give at least one"
                : "there are \(phases.count); give at most \(WorkloadLimits.phases.upperBound)"
            return [WorkloadProblem(.phases, sentence)]
        }
        var found: [WorkloadProblem] = []
        for (index, phase) in phases.enumerated() {
            var problems =
                phase.problems + phase.problems(threadCount, workerCount: workerCount)
            problems += clashes(of: index)
            found += problems.map { WorkloadProblem(phase: index, $0.setting, $0.sentence) }
        }
        if phases.allSatisfy(\.isWarmUp) {
            found.add(.phases, "all are warm-ups, so that nothing counts; give one that is none")
        }
        return found
    }

    /// Conflicts with an earlier phase.
    private func clashes(of index: Int) -> [WorkloadProblem] {
        let phase = phases[index]
        var found: [WorkloadProblem] = []
        if let first = phases[..<index].firstIndex(where: { $0.name == phase.name }) {
            found.add(.name, "phases[\(first)] is called \(phase.name), too; give another name")
        }
        // A thread that verifies answers keeps each key's versions from one phase to the next.
        guard phase.verifies, let other = phases[..<index].first(where: \.verifies) else {
            return found
        }
        if phase.keyCount != other.keyCount {
            found.add(
                .keys,
                "\(phase.keyCount) where \(other.name) has \(other.keyCount); phases that verify "
                    + "share their keys: give both the same")
        }
        if phase.keySize != other.keySize {
            found.add(
                .keySize,
                "it differs from that of \(other.name); phases that verify share their keys: "
                    + "give both the same")
        }
        return found
    }
}
