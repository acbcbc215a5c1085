import CacheConfiguration
import CacheWorkload
import CommandSurface
import LoadTest

/// What a load test asks for, in words.
enum BenchSubject {
    /// In one line: the first phase that counts.
    static func line(_ workload: Workload, _ command: BenchCommand) -> String {
        let counted = workload.phases.filter { !$0.isWarmUp }
        guard let phase = counted.first(where: { !$0.isFill }) ?? counted.first else { return "" }
        var parts = [
            "\(FigureText.count(phase.keyCount, "key")) of "
                + SizeDistributionText.format(phase.keySize),
            "values of \(SizeDistributionText.format(phase.valueSize))",
            KeyDistributionText.format(phase.effectiveDistribution),
            OperationMixText.format(phase.effectiveMix),
        ]
        switch phase.loop {
        case .closed: parts.append("\(phase.inFlightMax) in flight")
        case .open(let perSecond, let pattern):
            parts.append("\(perSecond)/s (\(pattern.rawValue))")
        }
        if phase.batch > 1 { parts.append("batches of \(phase.batch)") }
        if phase.verifies { parts.append("verified") }
        if workload.phases.count > 1 { parts.append("\(workload.phases.count) phases") }
        return parts.joined(separator: ", ")
    }

    /// In full.
    static func facts(_ workload: Workload, _ command: BenchCommand) -> [RunFigures.Fact] {
        var facts: [RunFigures.Fact] = []
        facts.append(.init("seed", "\(workload.seed)"))
        facts.append(.init("threads", "\(command.pace.threadCount)"))
        if let spin = command.pace.spin, spin > .zero {
            facts.append(.init("threads spin before they sleep", DurationText.format(spin)))
        }
        if let rate = command.pace.invalidations {
            facts.append(.init("invalidations beside the load", "\(rate)/s"))
        }
        return facts
    }

    /// What a phase asks for, in one line.
    static func text(_ phase: WorkloadPhase) -> String {
        var parts = [
            phase.isFill ? "every key stored once" : OperationMixText.format(phase.effectiveMix),
            FigureText.count(phase.keyCount, "key"),
            KeyDistributionText.format(phase.effectiveDistribution),
            "key \(SizeDistributionText.format(phase.keySize))",
            "value \(SizeDistributionText.format(phase.valueSize))",
            FigureText.count(phase.connectionCount, "connection") + " to a shard",
        ]
        if case .open(let perSecond, let pattern) = phase.loop {
            parts.append("\(perSecond)/s, \(pattern.rawValue)")
        }
        parts.append("at most \(phase.inFlightMax) in flight")
        if phase.batch > 1 { parts.append("batches of \(phase.batch)") }
        if !phase.isFill, let duration = phase.duration {
            parts.append("for \(DurationText.format(duration))")
        }
        if !phase.isFill, let count = phase.operationCount {
            parts.append("at most \(FigureText.count(count, "operation"))")
        }
        return parts.joined(separator: ", ")
    }
}
