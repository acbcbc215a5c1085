import ArgumentParser
import CacheConfiguration
import CacheWorkload
import CommandSurface
import LoadTest

/// `martlet bench`: loads a cluster and says what it did.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Load a cluster, measure it, and check what it answers.",
        discussion: """
            Closed loop: --concurrency operations are on their way, the next is sent when one is \
            answered, and latency counts from when there was room. Open loop (--rate): operations \
            are sent when they are due, and latency counts from then, however long one waited. \
            Percentiles come from one histogram over all threads; what fewer than ten answers \
            stand behind is not shown.

            A first look, and the same at half of the rate that it reached:
              martlet bench --load --duration 10s
              martlet bench --rate 200000 --warm-up 5s --duration 60s --report run.html

            As YCSB has it, from four threads; large values; many keys in a message:
              martlet bench --workload ycsb-b --threads 4 --connections 8 --concurrency 512
              martlet bench --value 1KiB:0.9,64KiB:0.1 --distribution hotset:0.9:0.01
              martlet bench --batch 64 --concurrency 8 --read 1 --distribution uniform

            Is every answer right while keys change? A wrong one ends the run with 5:
              martlet bench --verify --mix get:0.95,invalidate:0.05 --duration 10m

            How fast is this generator by itself? Two machines at one moment; recorded requests:
              martlet bench --echo --concurrency 512
              martlet bench --worker 1/2 --start-at 14:30:00 --json > one.json
              gzip -dc trace.csv.gz | martlet bench --trace - --trace-speed 10x

            docs/load-testing.md says how to read the figures, and what a file of --phases has.
            """,
        subcommands: [BenchJoinCommand.self])

    @OptionGroup(title: "What is asked for") var shape: BenchShapeOptions
    @OptionGroup(title: "How hard, and for how long") var pace: BenchPaceOptions

    @Flag(help: "Store every key once before the measurement begins.")
    var load = false

    @Option(
        help: ArgumentHelp(
            "Instead of one phase: those of a YAML file. Flags say what it leaves out.",
            valueName: "file"))
    var phases: String?

    @Flag(
        help: ArgumentHelp(
            """
            Check every answer against what it may be. Keys are changed by invalidations, filled \
            under tokens, and a wrong answer ends the run with 5.
            """))
    var verify = false

    @Option(
        help: ArgumentHelp("Write a report to look at in a browser, too.", valueName: "file.html"))
    var report: String?

    @Flag(help: "Ask an echo of our own instead: what this generator reaches at most.")
    var echo = false

    @Flag(
        help: ArgumentHelp(
            """
            Ask an echo of our own for 3s before the cluster, as the first phase that counts asks \
            and in a closed loop: by how much this generator is faster.
            """))
    var echoFirst = false

    @Option(
        help: ArgumentHelp(
            "Begin at this moment: 14:30:00, or +10s from now.", valueName: "time"),
        transform: StartText.parse)
    var startAt: StartText?

    @Option(
        help: ArgumentHelp(
            "Be the second of four machines that test together: 2/4.", valueName: "n/count"),
        transform: PartText.parse)
    var worker: KeyPart?

    @Option(
        help: ArgumentHelp(
            """
            Instead: replay these requests (lines of time,key,size; - is standard input) as an \
            application with a database behind the cache would, by load.
            """, valueName: "file"))
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "With --trace: 1x as it was recorded, 10x ten times as fast. (default: at once)",
            valueName: "factor"), transform: TraceSpeedText.parse)
    var traceSpeed: Double?

    @Option(
        help: ArgumentHelp(
            "With --trace: what its times count: s, ms, us or ns. (default: s)",
            valueName: "unit"))
    var traceTime: TraceTime?

    @OptionGroup(title: "The cluster and the output") var cluster: ClusterOptions

    func validate() throws {
        guard trace != nil || traceSpeed == nil else {
            throw ValidationError("--trace-speed says how fast a --trace is replayed; give one")
        }
        guard trace != nil || traceTime == nil else {
            throw ValidationError("--trace-time says what the times of a --trace count; give one")
        }
        if trace != nil, let other = strangersToTrace.first {
            throw ValidationError(
                "--trace replays what was recorded; it goes with --trace-speed, --trace-time, "
                    + "--concurrency, --report and --json, not with \(other)")
        }
        if phases != nil, let other = strangersToPhases.first {
            throw ValidationError(
                "--phases says in a file what phases there are; \(other) does not go with it: "
                    + "write it there")
        }
        if echo, echoFirst {
            throw ValidationError(
                "--echo measures nothing but the echo, so --echo-first has nothing to precede; "
                    + "leave it out")
        }
        if verify, echo {
            throw ValidationError("--echo answers without a cache, so there is nothing to verify")
        }
    }

    func run() async throws {
        // All faults in the arguments are reported before any file is touched. The report file is
        // opened before the run: that it cannot be written would come too late after an hour.
        let work = try prepared()
        // An echo needs no cluster, and a replay tells what a trace came to without one.
        if !echo, trace == nil {
            try await ReachabilityWatch.check(cluster.endpoints, patience: cluster.patience)
        }
        let page = try report.map { try ReportFile($0) }
        let figures: RunFigures
        do {
            figures = try await work()
        } catch {
            page?.abandon()
            throw error
        }
        try BenchOutput(figures, style: cluster.style).finish(page)
    }

    private func prepared() throws -> () async throws -> RunFigures {
        if let trace { return try TraceReplay(self, path: trace).run }
        return BenchRun(try BenchPlan(self), isQuiet: cluster.quiet).run
    }
}

extension TraceTime: ExpressibleByArgument {}

/// Flags that mean nothing beside another one: a user that gives both expects something else than
/// what would happen.
extension BenchCommand {
    /// Of what was given, what a replay of recorded requests does not look at.
    var strangersToTrace: [String] {
        let flags: [(String, Bool)] = [
            ("--phases", phases != nil), ("--verify", verify), ("--load", load), ("--echo", echo),
            ("--echo-first", echoFirst), ("--start-at", startAt != nil),
            ("--worker", worker != nil), ("--keys", shape.keys != nil),
            ("--key-size", shape.keySize != nil), ("--value", shape.value != nil),
            ("--distribution", shape.distribution != nil), ("--read", shape.read != nil),
            ("--mix", shape.mix != nil), ("--workload", shape.workload != nil),
            ("--seed", shape.seed != nil), ("--duration", pace.duration != nil),
            ("--requests", pace.requests != nil), ("--warm-up", pace.warmUp != nil),
            ("--batch", pace.batch != nil), ("--threads", pace.threads != nil),
            ("--connections", pace.connections != nil), ("--rate", pace.rate != nil),
            ("--arrivals", pace.arrivals != nil), ("--invalidations", pace.invalidations != nil),
            ("--spin", pace.spin != nil),
        ]
        return flags.filter(\.1).map(\.0)
    }

    /// Of what was given, what would be a phase beside those of a file.
    var strangersToPhases: [String] {
        [("--load", load), ("--warm-up", pace.warmUp != nil)].filter(\.1).map(\.0)
    }
}

/// What a load test says when it is over, and how the command ends.
struct BenchOutput {
    let output: CommandOutput
    private let figures: RunFigures

    init(_ figures: RunFigures, style: OutputStyle) {
        var output = CommandOutput()
        switch style {
        case .json: output.writeLine(figures.json)
        case .text(let isColoured): figures.write(to: &output, isColoured: isColoured)
        }
        let wrongCount = figures.verification?.violationCount ?? 0
        for violation in figures.verification?.violations ?? [] {
            let key = HarmlessText.line(String(decoding: violation.key, as: UTF8.self))
            output.complain("a wrong answer to \(key): \(violation.sentence)", .violation)
        }
        if wrongCount > 0 {
            output.status = .violation
        } else if let failure = figures.failure {
            output.complain("the run ended early: \(failure)", .unreachable)
        } else if !figures.wasCutShort,
            figures.phases.allSatisfy({ $0.keyCount == $0.errorCount })
        {
            output.complain("nothing was answered: is the cluster up?", .unreachable)
        }
        self.output = output
        self.figures = figures
    }

    /// Says it, writes the report, and ends the command. A disk that takes no report takes neither
    /// the figures away nor the exit code of a wrong answer.
    func finish(_ page: ReportFile?) throws {
        try output.finish { () throws(CommandFailure) in try page?.write(figures) }
    }
}
