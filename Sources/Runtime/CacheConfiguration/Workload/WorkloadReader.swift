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
        let list = root.list(
            of: "phase", in: "a workload", key: "name",
            example: "{name: steady, duration: 10s}", max: WorkloadLimits.phases.upperBound)
        guard let list else { return [] }
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

/// Takes the settings of one phase, or of all, out of its mapping.
struct PhaseReader {
    let settings: MappingReader

    /// What a phase has that fills leaves no question about.
    private static let idleWhileFilling: [WorkloadSetting] = [
        .mix, .distribution, .duration, .operations, .rate, .arrivals,
    ]

    /// A phase: what all may share, and what is its own.
    func readWhole(into phase: inout WorkloadPhase) {
        phase.name = name()
        phase.isWarmUp = settings.flag(.warmUp, default: false)
        phase.isFill = settings.flag(.fill, default: false)
        read(into: &phase)
        guard phase.isFill else { return }
        phase.loop = .closed
        for setting in Self.idleWhileFilling where settings.entry(setting.rawValue) != nil {
            settings.add(
                setting.rawValue,
                "a phase that fills stores every key once and ends; remove this or fill")
        }
    }

    /// What `phase` says already holds where there is no setting.
    func read(into phase: inout WorkloadPhase) {
        phase.duration = settings.optionalDuration(
            WorkloadSetting.duration.rawValue, default: phase.duration,
            in: WorkloadLimits.duration)
        phase.operationCount = settings.optionalCount(
            .operations, default: phase.operationCount, in: WorkloadLimits.operations)
        phase.connectionCount = settings.count(
            .connections, default: phase.connectionCount, in: WorkloadLimits.connections)
        phase.inFlightMax = settings.count(
            .inFlight, default: phase.inFlightMax, in: WorkloadLimits.inFlight)
        phase.batch = settings.count(.batch, default: phase.batch, in: WorkloadLimits.batch)
        phase.keyCount = settings.count(.keys, default: phase.keyCount, in: WorkloadLimits.keys)
        phase.verifies = settings.flag(.verify, default: phase.verifies)
        readLoop(into: &phase)
        readMix(into: &phase)
        phase.keySize = settings.value(.keySize, "a size such as 16B", phase.keySize) {
            (text) throws(TextProblem) in
            try SizeDistributionText.parse(text, in: WorkloadLimits.keyBytes)
        }
        phase.valueSize = settings.value(.valueSize, "a size such as 100B", phase.valueSize) {
            (text) throws(TextProblem) in
            try SizeDistributionText.parse(text, in: WorkloadLimits.valueBytes)
        }
    }

    private func name() -> String {
        guard settings.entry("name") != nil else {
            settings.add("name", "the phase has no name; give one, for example \"name: steady\"")
            return ""
        }
        guard let name = settings.text("name", expected: "a phase's name") else { return "" }
        if !WorkloadPhase.isName(name) {
            settings.add(
                "name",
                "\(TextProblem.quote(name)) is not a name; use 1 to 64 of a-z A-Z 0-9 . _ -")
        }
        return name
    }

    private func readLoop(into phase: inout WorkloadPhase) {
        var rate: Int?
        var pattern = ArrivalPattern.constant
        if case .open(let perSecond, let inherited) = phase.loop {
            rate = perSecond
            pattern = inherited
        }
        rate = settings.optionalCount(.rate, default: rate, in: WorkloadLimits.rate)
        pattern = settings.choice(WorkloadSetting.arrivals.rawValue, default: pattern)
        if let rate {
            phase.loop = .open(perSecond: rate, pattern)
            return
        }
        phase.loop = .closed
        if settings.entry(WorkloadSetting.arrivals.rawValue) != nil {
            settings.add(
                WorkloadSetting.arrivals.rawValue,
                "requests without a rate wait for each other; give a rate too, or remove this")
        }
    }

    /// A mix of YCSB's brings its distribution; one that stands beside it goes before.
    private func readMix(into phase: inout WorkloadPhase) {
        let inherited: (mix: OperationMix, ycsb: YCSBWorkload?) = (phase.mix, nil)
        let (mix, ycsb) = settings.value(.mix, "a mix such as get:0.9,set:0.1", inherited) {
            (text) throws(TextProblem) in try OperationMixText.parse(text)
        }
        phase.mix = mix
        phase.distribution = settings.value(
            .distribution, "a distribution such as zipf:0.99",
            ycsb?.distribution ?? phase.distribution
        ) { (text) throws(TextProblem) in try KeyDistributionText.parse(text) }
    }
}
