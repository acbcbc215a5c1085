import AccessControl
import ArgumentParser
import CacheConfiguration
import CommandSurface
import Telemetry
import Storage
import PublisherServer
import ServiceLifecycle
import ZeroMQ

/// `martlet publisher`: numbers, keeps and broadcasts the cluster's invalidations.
struct PublisherCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publisher",
        abstract: "Run the publisher: it numbers, keeps and broadcasts invalidations.",
        discussion: """
            Example:
              martlet publisher --nodes 3
              martlet publisher --config cluster.yaml
              martlet publisher --nodes 3 --log /var/lib/martlet/log
              martlet publisher --config cluster.yaml --id p1

            With a configuration file, a change to the file is taken over within a second. A wrong \
            file, and one that changes what cannot change while the cluster runs, is refused: the \
            last configuration stays. SIGHUP has the file looked at now. It ends on Ctrl-C and \
            SIGTERM.

            Of several publishers, one leads; another one takes over by:
              martlet publisher step-down
            """,
        subcommands: [StepDownCommand.self])

    @Option(
        help: """
            Which publisher of the configuration this is, where it lists several; with --log etcd \
            its name among those that can lead.
            """)
    var id: String?

    @Option(help: .value("endpoint", "Where to listen."))
    var bind: String?

    @Option(help: "Where nodes subscribe; the port after --bind's if not given.")
    var live: String?

    @Option(help: .value("endpoint", "Endpoint that others connect to, if not the bound one."))
    var advertise: String?

    @Option(help: .value("endpoint", "The same for the live endpoint."))
    var advertiseLive: String?

    @Option(
        help: """
            Without a configuration file: how many nodes, named n1, n2, …; 0 only with \
            --membership open. (default: 3)
            """)
    var nodes: Int?

    @Option(help: "Without a configuration file: shards of each node.")
    var shards = 1

    @Option(help: "Without a configuration file: sharded, slots (with --log) or replicated.")
    var topology: TopologyKind = .sharded

    @Option(
        help: """
            Without a configuration file, with slots: open lets nodes join that are not named so \
            (martlet node --join).
            """)
    var membership: MembershipKind = .listed

    @OptionGroup var log: PublisherLogOptions

    @OptionGroup var role: RoleOptions

    func run() async throws {
        HangupSignal.hold()
        let logger = try role.logger("publisher")
        let configuration = try role.configuration() ?? standard()
        let plan = try PublisherRolePlan(id: id, log, configuration)
        var options = try options(configuration, plan)
        // Control and live.
        options.access = try role.access(listenerCount: 2)
        for endpoint in [options.control, options.live].compactMap(\.self) {
            try role.checkExposure(of: endpoint, options.access, logger: logger)
        }
        let health = try role.health.plan(
            plan.settings.http, mayBeReached: role.insecureBind)
        options.audit = try role.audit.open("publisher", logger: logger)
        let audit = options.audit
        let publisher = PublisherService(options: options, logger: logger)
        do {
            _ = try publisher.start()
        } catch {
            audit?.stop()
            throw CommandFailure(starting: error)
        }
        let listener: HealthListener?
        do {
            listener = try health?.start(role: "publisher", logger: logger) {
                publisher.takeReport($0)
            }
        } catch {
            publisher.stop()
            audit?.stop()
            throw error
        }
        let watch = role.configurationPath.map { ConfigurationWatch($0, logger: logger) }
        watch?.start(
            from: configuration, changed: { publisher.reload($0) },
            refused: { publisher.refusedChanges($0) })
        var reload: (@Sendable () -> Void)?
        if let watch { reload = { watch.ask() } }
        let service = RoleService(
            announce: { publisher.announce() },
            waitUntilEnded: {
                publisher.waitUntilStopped().map { failure in
                    // A restart finds the same prefix.
                    if case .prefix = failure {
                        return CommandFailure(.unusableConfiguration, "\(failure)")
                    }
                    return CommandFailure(.bug, "\(failure)")
                }
            },
            stop: {
                listener?.stop()
                publisher.stop()
                audit?.stop()
            }, endsWithInput: role.endWithInput,
            takePulse: { publisher.takePulse($0) }, manager: .ofThisProcess(logger),
            reload: reload)
        try await service.runUntilStopped(logger: logger)
    }

    private func standard() throws -> ClusterConfiguration {
        let nodeCount = nodes ?? 3
        guard membership == .listed || topology == .slots else {
            throw CommandFailure(.wrongUsage, "--membership open needs --topology slots")
        }
        let least = membership == .open ? 0 : 1
        guard (least...1_000).contains(nodeCount), (1...64).contains(shards) else {
            throw CommandFailure(.wrongUsage, "--nodes is \(least) to 1000 and --shards 1 to 64")
        }
        var configuration = ClusterConfiguration.standard(
            nodeCount: max(1, nodeCount), shardCount: shards, topology: topology)
        if nodeCount == 0 { configuration.nodes = [] }
        configuration.membership = membership
        return configuration
    }

    private func options(
        _ configuration: ClusterConfiguration, _ plan: PublisherRolePlan
    ) throws -> PublisherOptions {
        let environment = ProcessEnvironment.variables
        return try CommandFailure.wrapping {
            var options = try PublisherOptions(configuration, of: plan.settings)
            options.log?.isNewEpochWanted = log.newEpoch
            options.etcd = try plan.etcd()
            if let text = bind ?? environment["MARTLET_BIND"] {
                options.control = try Endpoint(text)
                options.live = nil
            }
            if let text = live ?? environment["MARTLET_LIVE"] { options.live = try Endpoint(text) }
            if let advertise {
                options.advertisedControl = try Endpoint(advertise, for: .connecting)
            }
            if let advertiseLive {
                options.advertisedLive = try Endpoint(advertiseLive, for: .connecting)
            }
            return options
        }
    }
}
