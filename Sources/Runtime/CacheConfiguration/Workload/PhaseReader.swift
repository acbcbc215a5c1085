import CacheWorkload

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
