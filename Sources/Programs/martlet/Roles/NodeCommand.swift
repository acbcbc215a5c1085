import AccessControl
import ArgumentParser
import CacheConfiguration
import CacheModel
import CacheServer
import CommandSurface
import Telemetry
import Logging
import ServiceLifecycle
import ZeroMQ

extension MemoryPressureResponse: ExpressibleByArgument {}

/// `martlet node`: one node of a cluster.
struct NodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node",
        abstract: "Run one node: it holds entries and serves them.",
        discussion: """
            Example:
              martlet node --id n1 --publisher tcp://127.0.0.1:7400
              martlet node --id n4 --join --weight 2

            The node keeps trying until its publisher is there, and must stand in the publisher's \
            configuration, or join where that allows it (membership: open). It ends on Ctrl-C and \
            SIGTERM, after it has said so to the publisher; martlet drain has it finish what it \
            accepted first.
            """)

    @OptionGroup var name: NodeNameOptions

    @Option(
        help: .value(
            "endpoint", "The publisher's endpoint; once for each of several that share a log."))
    var publisher: [String] = []

    @Option(
        help: """
            The live endpoint of the only publisher; its port plus 1 if not given. Several \
            publishers name theirs.
            """)
    var live: String?

    @Option(
        help: .value(
            "endpoint",
            "Where to listen, one for each shard; tcp://127.0.0.1:* lets the system choose."))
    var bind: [String] = []

    @Option(
        help: .value(
            "endpoint",
            "Endpoints that others connect to, if not the bound ones; one for each shard."))
    var advertise: [String] = []

    @Option(help: "Threads that each own a part of the keys: 1 to 64.")
    var shards: Int?

    @Option(help: .value("size", "Memory for entries, all shards together."))
    var memory: String?

    @Option(
        help: .value(
            "count", "Most entries in memory, all shards together; or none, for as many as fit."))
    var entriesMax: String?

    @Option(help: "Eviction policy of the memory.")
    var eviction: EvictionPolicyName?

    @Option(
        help: .value(
            "response",
            "react: shrink while memory is short, and grow back; ignore: keep what is configured."))
    var memoryPressure: MemoryPressureResponse?

    @Option(
        help: .value(
            "duration",
            """
            How long a shard looks for requests before it sleeps, up to 10ms: awake when \
            the next one comes, for up to as much of a core after each answer. From 100us on, \
            where cores are free; 0s where they are shared.
            """))
    var spin: String?

    @Option(
        help: .value(
            "count",
            """
            Threads that move the bytes of connections, and encrypt them where there are keys: \
            1 to 16. More than one where cores are free.
            """))
    var ioThreads: Int?

    @OptionGroup var disk: DiskOptions

    @Option(
        help: .value(
            "directory",
            "Where writes are kept that an origin does not take now; this node's alone."))
    var queueDirectory: String?

    @Option(
        help: .value(
            "directory",
            """
            Where the files are that origins name in headers and tls; /run/secrets/origins if not \
            given.
            """))
    var secretsDirectory: String?

    @Flag(
        help: """
            Let /readyz answer 503 also while an origin is switched off, because a variable or \
            file that it names is missing, or while the write queue takes nothing.
            """)
    var readyNeedsOrigins = false

    @OptionGroup var slow: SlowOptions

    @OptionGroup var sampling: SampleOptions

    @OptionGroup var collector: CollectorOptions

    @OptionGroup var role: RoleOptions

    func run() async throws {
        HangupSignal.hold()
        let logger = try role.logger("node")
        var plan = try NodePlan(self, configuration: try role.configuration())
        plan.options.access = try role.access(listenerCount: plan.options.endpoints.count)
        try Self.check(plan.options)
        for endpoint in plan.options.endpoints {
            try role.checkExposure(of: endpoint, plan.options.access, logger: logger)
        }
        if plan.options.plantedBug != .none {
            logger.warning("this node is wrong on purpose: a bug is planted in it")
        }
        let node = plan.options.node
        let health = try role.health.plan(plan.http, mayBeReached: role.insecureBind)
        let spans = try collector.plan(of: "martlet-node").map {
            SpanExporter($0, logger: logger)
        }
        // Also where it never comes to the end below.
        defer { spans?.stop() }
        plan.options.spans = spans
        plan.options.audit = try role.audit.open("node \(node)", logger: logger)
        try openLogs(&plan, logger)
        let audit = plan.options.audit
        let server: NodeServer
        do {
            server = try NodeServer.start(plan.options, logger: logger)
        } catch {
            audit?.stop()
            throw CommandFailure(starting: error)
        }
        let listener: HealthListener?
        do {
            listener = try health?.start(role: "node", logger: logger) { server.takeReport($0) }
        } catch {
            server.stop()
            audit?.stop()
            throw error
        }
        let service = RoleService(
            announce: {
                let endpoints = server.endpoints.joined(separator: ", ")
                logger.info("node \(node) listens on \(endpoints)")
                guard !server.secondEndpoints.isEmpty else { return }
                let second = server.secondEndpoints.joined(separator: ", ")
                logger.info("with its second key it listens on \(second)")
            },
            waitUntilEnded: { Self.error(of: server.waitUntilEnded()) },
            stop: {
                listener?.stop()
                server.stop()
                audit?.stop()
            }, endsWithInput: role.endWithInput,
            takePulse: { server.takePulse($0) }, manager: .ofThisProcess(logger))
        try await service.runUntilStopped(logger: logger)
    }

    /// Where operations are noted that take long, and one of so many.
    private func openLogs(_ plan: inout NodePlan, _ logger: Logger) throws {
        let every = try sampling.every(plan.sampleEvery)
        let names = try slow.names()
        plan.options.slow = try slow.open(logger, names: names, isNaming: every != nil)
        plan.options.sample = every.map { SampleLog(every: $0, names: names, logger: logger) }
    }

    /// Either the publisher asks its nodes for keys and this node has one, or neither.
    private static func check(_ options: NodeServerOptions) throws {
        for endpoint in options.publishers.flatMap({ [$0.control, $0.live].compactMap(\.self) }) {
            switch (endpoint.serverKey, options.access) {
            case (.some, .none):
                throw CommandFailure(
                    .unusableConfiguration,
                    "\(endpoint) authenticates its nodes: give --key and --allow-list")
            case (.none, .some):
                throw CommandFailure(
                    .unusableConfiguration,
                    "\(endpoint) names no key of the publisher, so any process could pose as it: "
                        + "write the whole endpoint, with ?key= and its digits, as --publisher or "
                        + "as publisher.endpoint in the configuration")
            default: continue
            }
        }
    }

    private static func error(of end: NodeEnd) -> CommandFailure? {
        switch end {
        case .stopped, .drained: nil
        case .refused(let sentence): CommandFailure(.unusableConfiguration, sentence)
        case .failed(let sentence): CommandFailure(.bug, sentence)
        }
    }
}
