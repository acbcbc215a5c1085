#if Web
    import AccessControl
    import ArgumentParser
    import CacheConfiguration
    import CacheModel
    import CommandSurface
    import GatewayServer
    import Telemetry
    import Logging
    import MartletClient
    import ServiceLifecycle
    import ZeroMQ

    /// `martlet gateway`: serves the cluster to HTTP clients.
    struct GatewayCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gateway",
            abstract: "Run a gateway: the cluster over HTTP.",
            discussion: """
                Reads, stores and invalidations over HTTP/1.1, with TLS also HTTP/2. \
                GET /v1/openapi.json describes all of it, and docs/http.md tells it with examples. \
                Any number of gateways may run beside each other. It ends on Ctrl-C and SIGTERM.

                Example:
                  martlet gateway
                  curl http://127.0.0.1:7480/v1/default/greeting
                  martlet gateway --bind 0.0.0.0:443 --tls-certificate chain.pem \\
                    --tls-key key.pem --tokens tokens --cluster tcp://10.0.0.7:7400
                """)

        static let bindDefault = "127.0.0.1:7480"

        @Option(
            help: .value(
                "host:port",
                "Where to listen. (default: $MARTLET_GATEWAY_BIND, else "
                    + "\(GatewayCommand.bindDefault))"))
        var bind: String?

        @Option(
            help: .value(
                "endpoint[,...]",
                "Publishers or nodes, tried in turn. (default: $MARTLET_CLUSTER, else the "
                    + "publisher of --config, else \(ClusterOptions.endpointDefault))"))
        var cluster: String?

        @Option(
            help: .value(
                "file",
                "The cluster's configuration (YAML): where its publisher is, and what it says "
                    + "under gateway:, which flags override. " + "(default: $MARTLET_CONFIG)"))
        var config: String?

        @Option(
            help: .value(
                "file",
                "The file of the gateway's key, for a cluster that authenticates its clients. "
                    + "(default: $MARTLET_KEY)"))
        var key: String?

        @Option(
            help: .value(
                "file",
                "A list of bearer tokens and what each may do; read again when it changes. "
                    + "(default: $MARTLET_TOKENS)"))
        var tokens: String?

        @OptionGroup
        var strangers: GatewayStrangers

        @Option(help: .value("file", "The certificate and its chain, PEM. With --tls-key."))
        var tlsCertificate: String?

        @Option(help: .value("file", "The certificate's private key, PEM."))
        var tlsKey: String?

        @Option(help: .value("size", "Longest value that is taken, up to 64MiB. (default: 16MiB)"))
        var maxBody: String?

        @Option(
            help: .value(
                "size",
                "Remember so many bytes of what nodes answered, and answer that again without "
                    + "asking: dropped as the log says, and off unless said."))
        var nearCache: String?

        @Option(help: .value("duration", "With --near-cache: for how long after a node told it."))
        var nearCacheAge: String?

        @Option(help: "Most connections at one time; more wait to be accepted. (default: 10000)")
        var maxConnections: Int?

        @Option(
            help: .value(
                "duration",
                "How long a connection may be silent, a request take to arrive, and a piece of an "
                    + "answer to be taken. (default: 30s)"))
        var idle: String?

        @Option(
            help: .value("duration", "How long to wait for the cluster."),
            transform: ArgumentText.timeout)
        var timeout: Duration?

        @Option(
            help: "Where nodes are replicas, ask this one while it can be reached.",
            transform: ArgumentText.node)
        var near: NodeID?

        @OptionGroup var health: HealthOptions

        @OptionGroup var slow: SlowOptions

        @OptionGroup var spans: SpanOptions

        @OptionGroup var format: LogOptions

        @OptionGroup var sampling: SampleOptions

        @Flag(
            help: """
                Without --tokens and --jwt-keys: allow an address beyond this machine. Every \
                client that reaches the port can read and change everything.
                """)
        var insecureBind = false

        @Option(help: "trace, debug, info, notice, warning, error or critical.")
        var logLevel: Logger.Level = .info

        /// Set by `up`, as for every role.
        @Flag(help: .hidden)
        var endWithInput = false

        func run() async throws {
            HangupSignal.hold()
            var logger = try format.logger("gateway")
            logger.logLevel = logLevel
            EnvironmentVariables.warn(logger)
            let plan = try GatewayPlan(self, ProcessEnvironment.variables)
            var options = plan.options
            try checkExposure(options, logger)
            let health = try health.plan(plan.http, mayBeReached: insecureBind)
            options.isWatched = health != nil
            let every = try sampling.every()
            let names = try slow.names()
            options.slow = try slow.open(logger, names: names, isNaming: every != nil)
            options.sample = every.map { SampleLog(every: $0, names: names, logger: logger) }
            let exporter = try spans.plan(of: "martlet-gateway").map { plan in
                let exporter = SpanExporter(plan.export, logger: logger)
                options.spans = SpanTracer(exporter, plan.ratio)
                return exporter
            }
            // Also where it never comes to the end below.
            defer { exporter?.stop() }
            let gateway = try CommandFailure.wrapping {
                try GatewayService(options, logger: logger)
            }
            // It answers while the gateway looks for its nodes: alive, and not ready.
            let listener = try health?.start(role: "gateway", logger: logger) {
                gateway.takeReport($0)
            }
            let service = RoleService(
                prepare: { [logger] in
                    logger.debug("the gateway looks for the nodes of its cluster")
                    do {
                        let place = try await gateway.start()
                        logger.info("the gateway listens on \(place)")
                    } catch let error as GatewayStartError {
                        throw CommandFailure(.unusableConfiguration, "\(error)")
                    }
                },
                waitUntilEnded: {
                    gateway.waitUntilStopped().map { CommandFailure(.bug, "\($0)") }
                },
                stop: {
                    listener?.stop()
                    gateway.stop()
                    exporter?.stop()
                }, endsWithInput: endWithInput,
                takePulse: { gateway.takePulse($0) }, givesMemoryBack: nearCache == nil,
                manager: .ofThisProcess(logger))
            try await service.runUntilStopped(logger: logger)
        }

        /// Refuses to listen beyond this machine without tokens, unless that was allowed.
        private func checkExposure(_ options: GatewayOptions, _ logger: Logger) throws {
            guard !options.isLoopback else { return }
            if !options.asksForTokens {
                guard insecureBind else {
                    throw CommandFailure(
                        .unusableConfiguration,
                        "\(options.host) can be reached from other machines, and requests are "
                            + "not authenticated: give --tokens FILE or --jwt-keys FILE, bind "
                            + "127.0.0.1, or give --insecure-bind if the network keeps "
                            + "strangers out")
                }
                logger.warning(
                    """
                    listening on \(options.host) without tokens: every client that reaches it \
                    can read and change everything
                    """)
            } else if options.certificate == nil {
                logger.warning(
                    """
                    listening on \(options.host) without TLS: machines on the path can read tokens \
                    and values; give --tls-certificate and --tls-key, or put a proxy before it
                    """)
            }
        }
    }
#endif
