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
            found.append(
                WorkloadProblem(
                    .phases, "all are warm-ups, so that nothing counts; give one that is none"))
        }
        return found
    }

    /// Conflicts with an earlier phase.
    private func clashes(of index: Int) -> [WorkloadProblem] {
        let phase = phases[index]
        var found: [WorkloadProblem] = []
        if let first = phases[..<index].firstIndex(where: { $0.name == phase.name }) {
            found.append(
                WorkloadProblem(
                    .name, "phases[\(first)] is called \(phase.name), too; give another name"))
        }
        // A thread that verifies answers keeps each key's versions from one phase to the next.
        guard phase.verifies, let other = phases[..<index].first(where: \.verifies) else {
            return found
        }
        if phase.keyCount != other.keyCount {
            found.append(
                WorkloadProblem(
                    .keys,
                    "\(phase.keyCount) where \(other.name) has \(other.keyCount); phases that "
                        + "verify share their keys: give both the same"))
        }
        if phase.keySize != other.keySize {
            found.append(
                WorkloadProblem(
                    .keySize,
                    "it differs from that of \(other.name); phases that verify share their keys: "
                        + "give both the same"))
        }
        return found
    }
}
