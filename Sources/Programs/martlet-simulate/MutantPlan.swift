import CacheModel
import CacheSimulation
import CommandSurface

/// Shows that the simulation fails without any one of the protocol's guards.
struct MutantPlan: Sendable {
    /// One for each guard; tests use other lists.
    var mutants = Mutant.all

    /// - Throws: ``CommandFailure`` in a build that cannot disable guards.
    func run() async throws(CommandFailure) -> CheckReport {
        let mutants = mutants
        var guards: [Guards] = []
        for mutant in mutants { guards.append(try CheckedBuild.guards(without: [mutant.missing])) }
        let switchedOff = guards
        let report = await CheckReport.running(mutants.count) { index in
            mutants[index].check(switchedOff[index])
        }
        return CheckReport(checks: report.checks + unlisted)
    }

    /// Guards without a mutant.
    private var unlisted: [SimulationCheck] {
        let listed = Set(mutants.map(\.missing))
        return ProtocolGuard.allCases.filter { !listed.contains($0) }.map {
            SimulationCheck(
                name: $0.rawValue, isPassed: false, sentence: "no mutant: add one to Mutant.all")
        }
    }
}

extension Mutant {
    /// Passes if a promise breaks within the seeds, and the same seed breaks none with every guard
    /// enabled.
    fileprivate func check(_ guards: Guards) -> SimulationCheck {
        let killer = (from..<from + count).lazy
            .map { Simulation.run(seed: $0, guards: guards) }
            .first { $0.violation != nil }
        guard let killer, let sentence = killer.violation else {
            return result(false, "survives seeds \(from) to \(from + count - 1)")
        }
        let original = Simulation.run(seed: killer.seed)
        if let violation = original.violation {
            return result(
                false, "seed \(killer.seed) breaks a promise with every guard on: \(violation)",
                story: original.report)
        }
        return result(true, "seed \(killer.seed): \(sentence)")
    }

    private func result(
        _ isPassed: Bool, _ sentence: String, story: String? = nil
    ) -> SimulationCheck {
        SimulationCheck(
            name: missing.rawValue, isPassed: isPassed, sentence: HarmlessText.line(sentence),
            story: story)
    }
}
