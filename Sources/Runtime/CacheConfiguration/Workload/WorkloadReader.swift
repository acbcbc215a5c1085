import CacheWorkload

/// Walks a file of phases and makes a workload of it.
struct WorkloadReader {
    let root: MappingReader
    let file: WorkloadFile

    /// Settings of one phase that no other can share.
    private static let ownSettings: [WorkloadSetting] = [.name, .warmUp, .fill]
    /// Settings that the file has beside its phases.
    private static let fileSettings: [WorkloadSetting] = [.phases, .seed]

    private static func names(without left: [WorkloadSetting]) -> [String] {
        WorkloadSetting.allCases.filter { !left.contains($0) }.map(\.rawValue)
    }

    /// - Returns: a workload to be thrown away if there are problems afterwards.
    func read() -> Workload {
        root.refuseUnknown(["version", "seed", "defaults", "phases"])
        root.refuseOtherVersion()
        var workload = Workload(phases: [], seed: file.baseSeed)
        workload.seed = root.seed(default: file.baseSeed)
        let defaults = root.mapping("defaults")
        var base = file.base
        if let defaults {
            refuseOwn(defaults)
            defaults.refuseUnknown(Self.names(without: Self.fileSettings))
            PhaseReader(settings: defaults).read(into: &base)
        }
        let readers = phaseReaders()
        for reader in readers {
            reader.refuseUnknown(Self.names(without: Self.fileSettings))
            var phase = base
            PhaseReader(settings: reader).readWhole(into: &phase)
            workload.phases.append(phase)
        }
        if !readers.isEmpty { report(workload, readers, defaults) }
        return workload
    }

    private func refuseOwn(_ defaults: MappingReader) {
        for setting in Self.ownSettings where defaults.entry(setting.rawValue) != nil {
            defaults.add(
                setting.rawValue, "this is one phase's own; give it under phases, where it holds")
        }
    }

    private func phaseReaders() -> [MappingReader] {
        let value = root.entry("phases")?.value
        if let value, !value.isNothing, value.sequence == nil {
            root.add(
                "phases",
                "here must stand a list, each phase beginning with \"- name:\"; "
                    + "found \(value.kindForPeople)")
            return []
        }
        guard let list = value?.sequence, !list.isEmpty else {
            root.add(
                "phases",
                "there is no phase; list at least one, for example "
                    + "\"- {name: steady, duration: 10s}\"")
            return []
        }
        guard WorkloadLimits.phases.contains(list.count) else {
            root.add(
                "phases",
                "a workload has at most \(WorkloadLimits.phases.upperBound) phases; "
                    + "found \(list.count)")
            return []
        }
        return list.enumerated().compactMap { index, node in
            MappingReader(node, path: "phases[\(index)]", root.problems)
        }
    }

    /// Adds what is wrong with settings that are right each for itself, where the later of them
    /// stands.
    private func report(
        _ workload: Workload, _ readers: [MappingReader], _ defaults: MappingReader?
    ) {
        guard root.problems.isEmpty else { return }
        let found = workload.problems(
            threadCount: file.threadCount, workerCount: file.workerCount)
        for problem in found {
            let name = problem.setting.rawValue
            guard let index = problem.phase else {
                root.add(name, problem.sentence)
                continue
            }
            let reader = readers[index]
            let isInherited = reader.entry(name) == nil && defaults?.entry(name) != nil
            let place = isInherited ? defaults?.place(of: name) : reader.place(of: name)
            root.problems.add(
                place ?? reader.place, MappingReader.join(reader.path, name), problem.sentence)
        }
    }
}
