import ArgumentParser
import CacheModel
import CacheSimulation
import CommandSurface

/// `martlet-simulate`: the simulation of whole clusters, as a program.
///
/// It links the shipped cores, the simulated world around them and nothing else: no socket, no TLS,
/// no HTTP server. So it builds in a fraction of the time of `martlet`, and can be built with
/// optimization and with every check and every mutant:
///
///     MARTLET_ONLY=simulate MARTLET_CHECKED=1 swift build -c release --product martlet-simulate
///
/// Seeds, mutants and named seeds are independent of each other and run on all processors; each
/// runs on one thread. docs/testing.md describes the simulation and its checks.
@main
struct SimulationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet-simulate",
        abstract: "Simulate whole clusters under faults, and check that they keep their promises.",
        discussion: """
            The code that decides – publisher, nodes, shards – runs in one thread with a network, \
            disks, clocks and processes that fail. Every random choice comes from the seed, so a \
            seed always gives the same run. Exits with 5 if a promise was broken or a check \
            failed.

            Examples:
              martlet-simulate
              martlet-simulate --seeds 20000
              martlet-simulate --seed 17
              martlet-simulate --nodes 64
              martlet-simulate --mutants
            """)

    @Option(help: "Run this many seeds, on all processors.")
    var seeds = 500

    @Option(help: "Start with this seed.")
    var from: UInt64 = 1

    @Option(help: "Run this seed alone and print every event.")
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Worlds in which up to this many publishers lead one log in turn. Their seeds are "
                + "others than those of one publisher.",
            valueName: "count"))
    var publishers = 1

    @Flag(help: "Worlds in which the log assigns slots, with seeds of their own.")
    var slots = false

    @Option(
        help: ArgumentHelp(
            "Without faults: what it costs that one of so many nodes comes or goes.",
            valueName: "count"))
    var nodes: Int?

    @Flag(help: "Switch each guard off in turn, and check that a promise breaks without it.")
    var mutants = false

    @Flag(help: "Run the seeds that once found a defect.")
    var namedSeeds = false

    @Option(
        help: ArgumentHelp(
            "Switch a guard of the protocol off: a promise should break. Repeatable; needs a "
                + "checked build.",
            valueName: "guard"),
        transform: SimulationCommand.guardNamed)
    var disable: [ProtocolGuard] = []

    @Flag(help: "List the guards and exit.")
    var listGuards = false

    @Flag(help: "Write JSON: one object.")
    var json = false

    func validate() throws {
        guard seeds > 0 else { throw ValidationError("--seeds is at least 1") }
        guard (1...3).contains(publishers) else {
            throw ValidationError("--publishers is 1, 2 or 3")
        }
        guard publishers == 1 && !slots || !(mutants || namedSeeds) else {
            throw ValidationError("--mutants and --named-seeds choose the worlds themselves")
        }
        guard from.addingReportingOverflow(UInt64(seeds)).overflow == false else {
            throw ValidationError("--from and --seeds go beyond the last seed there is")
        }
        let tasks = [seed != nil, nodes != nil, mutants, namedSeeds, listGuards]
        guard tasks.count(where: { $0 }) <= 1 else {
            throw ValidationError(
                "--seed, --nodes, --mutants, --named-seeds and --list-guards exclude each other")
        }
        let counts = LargeClusterPlan.nodeCounts
        guard nodes.map(counts.contains) ?? true else {
            throw ValidationError("--nodes is \(counts.lowerBound) to \(counts.upperBound)")
        }
        guard disable.isEmpty || !(mutants || namedSeeds) else {
            throw ValidationError("--mutants and --named-seeds choose the guards themselves")
        }
    }

    func run() async throws {
        if listGuards { return try Self.guardList.say() }
        let style = OutputStyle.chosen(isJSON: json)
        if let nodes { return try LargeClusterPlan(nodeCount: nodes).run(style).finish() }
        if mutants { return try await MutantPlan().run().output(style).finish() }
        if namedSeeds { return try await NamedSeeds.run().output(style).finish() }
        let plan = SimulationPlan(
            guards: try CheckedBuild.guards(without: disable), disabled: disable,
            kind: WorldKind(publishers: publishers, hasSlots: slots))
        if let seed { return try plan.tell(seed).finish() }
        try await plan.run(from: from, count: seeds).output(style).finish()
    }

    static func main() async {
        await CommandProgram.run(self, ArgumentBytes.ofProcess)
    }

    private static func guardNamed(_ name: String) throws -> ProtocolGuard {
        guard let found = ProtocolGuard(rawValue: name) else {
            throw ValidationError("\"\(name)\" is no guard; --list-guards names them")
        }
        return found
    }

    /// Every guard with what it checks, a line each.
    static var guardList: CommandOutput {
        var table = Table([.left("guard"), .left("what is checked")])
        for one in ProtocolGuard.allCases {
            table.add([.init(one.rawValue), .init(one.sentence)])
        }
        var output = CommandOutput(program: "martlet-simulate")
        output.write(table.text(isColoured: false))
        return output
    }
}

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
            .map { Simulation.run(seed: $0, guards: guards, in: kind) }
            .first { $0.violation != nil }
        guard let killer, let sentence = killer.violation else {
            return result(false, "survives seeds \(from) to \(from + count - 1)")
        }
        let original = Simulation.run(seed: killer.seed, in: kind)
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
