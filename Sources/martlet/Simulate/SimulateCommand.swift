import ArgumentParser
import CacheConfiguration
import CacheModel
import CacheSimulation

/// `martlet simulate`
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run whole clusters in a made-up world, and look whether a promise is broken.",
        discussion: """
            The code that decides – publisher, nodes, shards – runs in one thread with a network, \
            disks, clocks and processes that fail. Everything that happens by chance comes from \
            the seed, so a seed tells one story, always. Ends with 5 if a promise was broken.

            Examples:
              martlet simulate
              martlet simulate --seeds 20000
              martlet simulate --seed 17
            """)

    @Option(help: "How many seeds, one after the other.")
    var seeds = 500

    @Option(help: "The first of them.")
    var from: UInt64 = 1

    @Option(help: "This one alone, with every event.")
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Switch a guard of the protocol off, in a debug build: then a promise should break.",
            valueName: "guard"),
        transform: SimulateCommand.guardNamed)
    var disable: [ProtocolGuard] = []

    @Flag(help: "List the guards and end.")
    var listGuards = false

    @Flag(help: "Write JSON: one object.")
    var json = false

    func validate() throws {
        guard seeds > 0 else { throw ValidationError("--seeds is at least 1") }
        guard from.addingReportingOverflow(UInt64(seeds)).overflow == false else {
            throw ValidationError("--from and --seeds go beyond the last seed there is")
        }
    }

    func run() async throws {
        if listGuards { return try Self.guardList.say() }
        guard let guards = Guards(without: disable) else {
            throw CommandFailure(
                .refused,
                "this build cannot switch guards off, so that nobody can in production; use a "
                    + "debug build: swift run martlet simulate --disable \(disable[0].rawValue)")
        }
        let plan = SimulationPlan(guards: guards, disabled: disable)
        if let seed { return try plan.tell(seed).finish() }
        let report = await plan.run(from: from, count: seeds)
        try report.output(OutputStyle.chosen(isJSON: json)).finish()
    }

    private static func guardNamed(_ name: String) throws -> ProtocolGuard {
        guard let found = ProtocolGuard(rawValue: name) else {
            throw TextProblem(
                "\(TextProblem.quote(name)) is no guard; --list-guards names them")
        }
        return found
    }

    /// Every guard with what it checks, a line each.
    static var guardList: CommandOutput {
        var table = Table([.left("guard"), .left("what is checked")])
        for one in ProtocolGuard.allCases {
            table.add([.init(one.rawValue), .init(one.sentence)])
        }
        var output = CommandOutput()
        output.write(table.text(isColoured: false))
        return output
    }
}
