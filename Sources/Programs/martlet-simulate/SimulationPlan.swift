import CacheModel
import CacheSimulation
import CommandSurface
import EssentialFoundation

/// The simulation to run, from checked flags.
struct SimulationPlan: Sendable {
    /// Seeds for each step of the progress on a terminal.
    private static let shownEvery = 16

    let guards: Guards
    /// The disabled guards.
    let disabled: [ProtocolGuard]
    var kind = WorldKind()

    /// Runs one seed and prints every event.
    func tell(_ seed: UInt64) throws -> CommandOutput {
        var lines: [String] = []
        let outcome = Simulation.run(seed: seed, guards: guards, in: kind) {
            lines.append($0)
        }
        var output = CommandOutput(program: "martlet-simulate")
        lines.forEach { output.writeLine($0) }
        output.writeLine(outcome.settings)
        guard let violation = outcome.violation else { return output }
        output.complain("seed \(seed): \(HarmlessText.line(violation))", .violation)
        return output
    }

    /// Runs `count` seeds, on all processors.
    func run(from first: UInt64, count: Int) async -> SimulationReport {
        let progress = ProgressBar("simulating", total: count)
        let clock = ContinuousClock()
        let began = clock.now
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let counter = SeedCounter(count)
        var report = SimulationReport(
            first: first, count: count, processors: processors, disabled: disabled,
            kind: kind)
        await withTaskGroup(of: SimulationReport.Part.self) { group in
            for _ in 0..<processors {
                group.addTask { live(from: first, counter, progress) }
            }
            for await part in group { report.add(part) }
        }
        progress.finish()
        report.elapsed = clock.now - began
        return report
    }

    /// The work of one thread: the next seed, until none is left.
    private func live(
        from first: UInt64, _ counter: SeedCounter, _ progress: ProgressBar
    ) -> SimulationReport.Part {
        var part = SimulationReport.Part()
        while let number = counter.next() {
            if number.isMultiple(of: Self.shownEvery) { progress.show(number) }
            part.add(
                Simulation.run(
                    seed: first + UInt64(number), guards: guards, in: kind))
        }
        return part
    }
}
