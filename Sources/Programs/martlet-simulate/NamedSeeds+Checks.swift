import CacheSimulation
import CommandSurface

extension NamedSeeds {
    /// Runs all named seeds; each passes if no promise breaks.
    static func run() async -> CheckReport {
        await CheckReport.running(all.count) { check(all[$0]) }
    }

    private static func check(_ seed: UInt64) -> SimulationCheck {
        let outcome = Simulation.run(seed: seed)
        guard let violation = outcome.violation else {
            return SimulationCheck(
                name: "seed \(seed)", isPassed: true, sentence: "no promise was broken")
        }
        return SimulationCheck(
            name: "seed \(seed)", isPassed: false,
            sentence: HarmlessText.line(violation)
                + " (again, with every event: martlet-simulate --seed \(seed))",
            story: outcome.report)
    }
}
