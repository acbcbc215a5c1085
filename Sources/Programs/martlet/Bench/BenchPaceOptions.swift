import ArgumentParser
import CacheConfiguration
import CacheWorkload
import LoadTest

/// How hard a load test asks, from how many places, and for how long.
struct BenchPaceOptions: ParsableArguments {
    static let durationDefault: Duration = .seconds(10)

    @Option(
        help: ArgumentHelp("How long to measure. (default: 10s)", valueName: "duration"),
        transform: BenchText.duration(WorkloadLimits.duration))
    var duration: Duration?

    @Option(
        help: ArgumentHelp("End after so many operations.", valueName: "count"),
        transform: BenchText.count(WorkloadLimits.operations))
    var requests: Int?

    @Option(
        help: ArgumentHelp(
            "Do the same for so long first; its figures stand apart.", valueName: "duration"),
        transform: BenchText.duration(WorkloadLimits.duration))
    var warmUp: Duration?

    @Option(
        help: ArgumentHelp(
            """
            Operations on their way at once, all threads together; messages, if --batch is above \
            1. (default: 64)
            """, valueName: "count"), transform: BenchText.count(WorkloadLimits.inFlight))
    var concurrency: Int?

    @Option(
        help: ArgumentHelp(
            "Operations in one message, 1 to 1024. (default: 1)", valueName: "count"),
        transform: BenchText.count(WorkloadLimits.batch))
    var batch: Int?

    @Option(
        help: ArgumentHelp(
            "Threads that make the load, 1 to 256. (default: 1)", valueName: "threads"),
        transform: BenchText.count(LoadTestLimits.threads))
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "Connections to every shard, all threads together. (default: one a thread)",
            valueName: "count"), transform: BenchText.count(WorkloadLimits.connections))
    var connections: Int?

    @Option(
        help: ArgumentHelp(
            """
            How long each thread looks for answers before it sleeps, up to 10ms: awake when \
            they come, for up to as much of a core each time. (default: 0s)
            """, valueName: "duration"), transform: BenchText.duration(ConfigurationLimits.spin))
    var spin: Duration?

    @Option(
        help: ArgumentHelp(
            """
            Open loop: send so many operations a second, whether or not answers come. Latency \
            counts from when each was due. (default: closed loop)
            """, valueName: "per-second"), transform: BenchText.count(WorkloadLimits.rate))
    var rate: Int?

    @Option(
        help: ArgumentHelp(
            "With --rate: constant or poisson gaps. (default: constant)", valueName: "pattern"))
    var arrivals: ArrivalPattern?

    @Option(
        help: ArgumentHelp(
            "Beside the load, have so many keys invalidated a second.", valueName: "per-second"),
        transform: BenchText.count(LoadTestLimits.invalidationRate))
    var invalidations: Int?

    func validate() throws {
        guard arrivals == nil || rate != nil else {
            throw ValidationError(
                "--arrivals says how requests of a --rate are spread; give a rate, too")
        }
    }

    var threadCount: Int { threads ?? 1 }

    /// Sets what was given, and leaves the rest as it is.
    func apply(to phase: inout WorkloadPhase) {
        phase.operationCount = requests
        phase.duration = duration
        if let batch { phase.batch = batch }
        if let concurrency { phase.inFlightMax = concurrency }
        if let batch, batch > 1 { phase.inFlightMax *= batch }
        phase.connectionCount = connections ?? threadCount
        if let rate { phase.loop = .open(perSecond: rate, arrivals ?? .constant) }
    }
}

extension ArrivalPattern: ExpressibleByArgument {}
