import ArgumentParser
import CacheConfiguration
import CacheModel
import CacheVerification
import CacheWorkload
import CommandSurface
import MartletClient

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Stand beside a cluster, and check that invalidations are applied.",
        discussion: """
            Follows the invalidations as a cache would, takes samples of the keys that they name, \
            and asks every node about each after 1, 10 and 60 seconds: what it would show, and \
            under which position that was filled. Says how consistent the answers were, in nines: \
            one of ten thousand that is not is four nines. It writes nothing, and asking counts as \
            no read.

            An answer is wrong if a value from before the invalidation is shown as fresh, by a \
            node that says it has applied it, or after the receipt, or after any lease. The first \
            one ends the command with 5 and everything that was seen of its key; --keep-going \
            counts on. Ends with 3 if nothing answers. Ctrl-C ends with the report.

            In namespaces that have an origin, values that nodes show as fresh are compared with \
            the origin's, one key a second: that finds changes without an invalidation, and \
            values that were read from a lagging replica. A difference counts if two checks five \
            seconds apart find it. It breaks no promise, and does not change the exit status; \
            --origin none asks no origin.

            Of a tag, a prefix, a namespace or everything, keys are sampled that were seen in \
            earlier invalidations or in a scan now and then; where none is known, it is counted \
            as not sampled. What lies only on disk is not looked at.

              martlet verify --for 10m
              martlet verify --sample 1% --after 1s,5s --namespace pages --json
              martlet verify --keep-going --metrics /var/lib/node_exporter/martlet.prom
              martlet verify --part 1/2 --sample 500/s
              martlet verify --origin 5/s --namespace users
            """)

    @Option(
        help: .value(
            "N/s|P%", "Keys to sample: so many a second, or a share of all. (default: 100/s)"),
        transform: VerifyText.amount)
    var sample: StandingPlan.Amount?

    @Option(
        name: .customLong("for"), help: .value("duration", "How long. (default: until Ctrl-C)"),
        transform: VerifyText.span)
    var span: Duration?

    @Option(
        help: .value("D,...", "When nodes are asked after an invalidation. (default: 1s,10s,60s)"),
        transform: VerifyText.delays)
    var after: [Duration]?

    @Option(
        help: .value("part/parts", "Share the work: this is one of so many with the same seed."),
        transform: PartText.parse)
    var part: KeyPart?

    @Option(help: "What the choice of samples follows from.")
    var seed: UInt64 = 0

    @Option(
        help: .value("namespace", "Only this namespace. (default: all)"),
        transform: ArgumentText.namespace)
    var namespace: Namespace?

    @Option(
        help: .value(
            "N/s|none", "Rate of keys to compare with their origins, or none. (default: 1/s)"),
        transform: VerifyText.originRate)
    var origin: Int?

    @Option(help: .value("file", "Write metrics to this file in the Prometheus format, every 5s."))
    var metrics: String?

    @Flag(help: "Count wrong answers, and continue.")
    var keepGoing = false

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let file = try metrics.map { try MetricsFile(path: $0) }
        let command = self
        guard let report = try await Interruption.result(of: { try await command.watch(file) })
        else {
            throw CommandFailure(.incomplete, "stopped before anything was looked at")
        }
        try report.output(cluster.style).finish { () throws(CommandFailure) in
            try file?.write(report)
        }
    }

    private func watch(_ file: MetricsFile?) async throws -> VerifyReport {
        try await cluster.withClient(for: .manyAnswers) { client in
            let plan = try await plan(of: client)
            let state = VerifyState(plan)
            try await VerifyRun(
                client: client, state: state, patience: cluster.patience, span: span,
                endsAtOnce: !keepGoing, metrics: file, isQuiet: cluster.quiet
            ).carryOut()
            return await state.report
        }
    }

    private func plan(of client: CacheClient) async throws -> StandingPlan {
        let served = try await client.cluster.servedConfiguration()
        do throws(ConfigurationErrors) {
            return plan(
                for: try ClusterConfiguration.parse(served.text, fileName: "the cluster's"))
        } catch {
            throw CommandFailure(
                .refused,
                "the cluster's configuration cannot be read, so its lease is not known; is this "
                    + "program older than the publisher?")
        }
    }

    /// What the flags ask for, in a cluster with that configuration.
    func plan(for configuration: ClusterConfiguration) -> StandingPlan {
        var plan = StandingPlan(
            leaseBound: StandingPlan.leaseBound(lease: configuration.publisher.lease))
        let withOrigin = configuration.namespaces.filter { $0.value.origin != nil }.map(\.key)
        plan.origins = OriginPlan(
            perSecond: origin ?? 1,
            namespaces: Set(withOrigin.filter { namespace == nil || $0 == namespace }))
        plan.amount = sample ?? plan.amount
        plan.delays = after ?? plan.delays
        plan.part = (part?.index ?? 0) + 1
        plan.parts = part?.count ?? 1
        plan.seed = seed
        plan.namespace = namespace
        return plan
    }
}

/// What people type for `verify`, read as what it means. Each throws a ``TextProblem``.
enum VerifyText {
    /// `50/s`, `50`: so many a second. `10%`: that share of all.
    static func amount(_ text: String) throws -> StandingPlan.Amount {
        if text.hasSuffix("%") {
            guard let percent = Double(text.dropLast()), percent > 0, percent <= 100 else {
                throw TextProblem("a share is above 0% and up to 100%, such as 1%")
            }
            return .share(percent / 100)
        }
        return .perSecond(
            try ArgumentText.rate(
                text, in: 1...10_000,
                else: "give 1/s to 10000/s, such as 50/s, or a share, such as 1%"))
    }

    /// `5/s`, `5`: so many a second. `none`: 0.
    static func originRate(_ text: String) throws -> Int {
        if text == "none" { return 0 }
        return try ArgumentText.rate(
            text, in: 1...50, else: "give 1/s to 50/s, such as 5/s, or none")
    }

    /// `1s,10s,60s`: rising, a second apart from nothing at least.
    static func delays(_ text: String) throws -> [Duration] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard (1...StandingLimits.delayCountMax).contains(parts.count) else {
            throw TextProblem(
                "give one to \(StandingLimits.delayCountMax) durations, such as 1s,10s,60s")
        }
        let delays = try parts.map {
            try DurationText.parse(String($0), in: .milliseconds(100)...(.seconds(3_600)))
        }
        guard zip(delays, delays.dropFirst()).allSatisfy(<) else {
            throw TextProblem("each is longer than the one before it, such as 1s,10s,60s")
        }
        return delays
    }

    /// How long to go on: 1s to a year.
    static func span(_ text: String) throws -> Duration {
        try DurationText.parse(text, in: .seconds(1)...(.seconds(366 * 86_400)))
    }
}
