import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface
import ServiceLifecycle
import UnixSignals
import LibC

/// `martlet up`: a whole cluster on this machine.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Run a whole cluster on this machine, until Ctrl-C.",
        discussion: """
            Starts a publisher and nodes as child processes on 127.0.0.1, prints where they \
            listen, and stops them again on Ctrl-C, SIGTERM or when its terminal closes. Each is a \
            process of its own, so that one can be stopped or killed to see what the others do. \
            The publisher listens on the port, everything else on the 63 ports after it; members \
            of etcd, with --publishers, on the six behind those, and nodes that have no room \
            there on the ports behind these.

            Example:
              martlet up --publishers 3
              martlet up --nodes 3 --topology replicated --ready-file /tmp/ready.json
              martlet up --secure --dir cluster
            """)

    @Option(help: "How many nodes, up to 1000. Each is a process.")
    var nodes = 3

    @Option(
        help: """
            How many publishers, of which one leads: if it dies, another one does. With more than \
            one the log is on etcd, of which three members are started.
            """)
    var publishers = 1

    @Option(help: "Threads in each node that own a part of the keys.")
    var shards = 1

    @Option(
        help: """
            sharded: one owner for each key. slots: the same, and the keys of a node that dies go \
            to the others. replicated: every node may hold every key.
            """)
    var topology: TopologyKind = .sharded

    @Option(
        help: .value(
            "directory",
            """
            Where configuration, logs and disk tiers go; if not given, a temporary directory that \
            is removed at the end.
            """))
    var dir: String?

    @Option(
        help: .value(
            "size", "Memory for the entries of each node. (default: $MARTLET_MEMORY, else 256MiB)"))
    var memory: String?

    @Option(
        help: .value(
            "size",
            """
            Disk for the entries that each node's memory has no room for, in --dir under the \
            node's name; or none. (default: $MARTLET_DISK, else none)
            """))
    var disk: String?

    @Option(
        help: .value(
            "count",
            """
            Most entries in the memory of each node; or none, for as many as fit. (default: \
            $MARTLET_ENTRIES_MAX, else none)
            """))
    var entriesMax: String?

    @Option(help: "Eviction policy of each node's memory.")
    var eviction: EvictionPolicyName = .adaptive

    @Option(
        help: .value(
            "duration", "How long a shard looks for requests before it sleeps, such as 100us."))
    var spin = "0s"

    @Flag(
        help: """
            Give each process a key, and admit only keys in the list: keys and list go into \
            --dir, with one key for an operator and one for a program.
            """)
    var secure = false

    @Flag(
        help: """
            Run a gateway too, which speaks HTTP: on 127.0.0.1, 63 ports after the publisher's. \
            With --secure it asks for a token, which goes into --dir.
            """)
    var gateway = false

    @Option(
        help: .value(
            "size",
            "With a gateway: have it remember so many bytes of what nodes answered, such as 64MiB.")
    )
    var nearCache: String?

    @Option(help: .value("duration", "With --near-cache: for how long after a node told it."))
    var nearCacheAge: String?

    /// Of all its processes.
    @OptionGroup var logs: UpLogs

    @Option(help: "The publisher's port.")
    var port: UInt16 = 7_400

    @Option(
        help: .value(
            "url",
            """
            From where nodes load the keys of the default namespace that are not there: a URL \
            with {key} in it.
            """))
    var origin: String?

    @Option(
        help: .value(
            "file",
            """
            A configuration to run: publishers, nodes, shards, topology, memory, disk, \
            entries-max, eviction, spin, origin and port come from it instead. If it lists \
            publishers, their etcd must run already.
            """))
    var config: String?

    @Option(
        help: .value(
            "duration", "Start a child that died again, after this long (--respawn alone: 1s)."))
    var respawn: String?

    @Option(
        help: .value(
            "file", "Write endpoints and process ids here, as JSON, once every node is live."))
    var readyFile: String?

    func run() async throws {
        HangupSignal.hold()
        let plan = try UpPlan(self)
        for variable in EnvironmentVariables.unknown() where variable.nearest != nil {
            UpScreen.say(variable.sentence)
        }
        let cluster = UpCluster(plan)
        let group = ServiceGroup(
            services: [cluster], gracefulShutdownSignals: [.sigint, .sigterm],
            logger: UpPlan.quietLogger)
        // A reader of what it says may close its end: that ends no cluster.
        signal(SIGPIPE, SIG_IGN)
        let hangup = await HangupSignal.listen { meaning in
            switch meaning {
            case .terminalLost: Task { await group.triggerGracefulShutdown() }
            case .reload: cluster.passOn(SIGHUP)
            }
        }
        defer { hangup?.cancel() }
        try await group.run()
    }
}

extension TopologyKind: ExpressibleByArgument {}
extension MembershipKind: ExpressibleByArgument {}
extension EvictionPolicyName: ExpressibleByArgument {}

/// How `up` uses the variables of its environment. Flags win over them, and variables that only one
/// process may have are refused: each child would take them.
///
///     MARTLET_MEMORY, MARTLET_DISK,
///     MARTLET_ENTRIES_MAX          ──▶ as the flags, where those are not given
///     one process's own            ──▶ refused
///     what flags say to children   ──▶ taken away
///     everything else              ──▶ each child
enum UpEnvironment {
    static let memoryVariable = "MARTLET_MEMORY"
    static let diskVariable = "MARTLET_DISK"
    static let entriesVariable = "MARTLET_ENTRIES_MAX"
    private static let logVariable = "MARTLET_LOG"
    /// How the variables begin that say where etcd is.
    private static let etcdVariables = "MARTLET_\(LogStorage.etcdWord.uppercased())_"

    /// Whether a member of etcd would take it for a flag, or for the name of a file that overrides
    /// all flags.
    private static func isOfEtcd(_ name: String) -> Bool { name.hasPrefix("ETCD_") }

    /// What is of one process alone.
    static let ofOneProcess = [
        "MARTLET_ID", "MARTLET_PUBLISHER", "MARTLET_BIND", "MARTLET_LIVE",
        "MARTLET_DISK_DIRECTORY", "MARTLET_QUEUE_DIRECTORY", "MARTLET_STATE_DIRECTORY",
    ]

    /// - Throws: ``CommandFailure`` if a variable is set that only one process may take.
    static func check(_ environment: [String: String]) throws(CommandFailure) {
        guard let name = ofOneProcess.first(where: { environment[$0]?.isEmpty == false }) else {
            return
        }
        throw CommandFailure(
            .wrongUsage,
            "\(name) is set, and up would hand it to every process that it starts: unset it, or "
                + "write it for each node into a configuration (--config)")
    }

    /// What children have of this process's environment.
    ///
    /// - Parameters:
    ///   - isFromFlags: whether `up` has made the configuration, which says what its flags said.
    ///   - hasLog: whether that says where the log is.
    static func passedOn(
        _ environment: [String: String], isFromFlags: Bool, hasLog: Bool
    ) -> [String: String] {
        // The key of the user that starts a cluster is not the key of its processes.
        var taken = Set(RoleOptions.accessVariables)
        if isFromFlags { taken.formUnion([memoryVariable, diskVariable, entriesVariable]) }
        if isFromFlags, hasLog { taken.insert(logVariable) }
        return environment.filter {
            !taken.contains($0.key)
                && !(isFromFlags && ($0.key.hasPrefix(etcdVariables) || isOfEtcd($0.key)))
        }
    }
}

/// What `up` has its processes log of single operations, and in which form.
///
/// They are told by variables: each takes those that mean something to it, and a flag of a role
/// that does not know it would end it. So what was said to `up` by a variable reaches them as well.
struct UpLogs: ParsableArguments {
    @OptionGroup var slow: SlowOptions

    @OptionGroup var sampling: SampleOptions

    @OptionGroup var format: LogOptions

    /// Refuses what a process would refuse, before any is started.
    ///
    /// - Parameter isSampling: whether the configuration has a node sample.
    func check(
        isSampling: Bool, environment: [String: String] = ProcessEnvironment.variables
    ) throws {
        let every = try sampling.every(environment: environment)
        _ = try slow.threshold(isNaming: every != nil || isSampling, environment: environment)
        _ = try slow.names(environment)
        _ = try format.format(environment)
    }

    /// What was said by flags, for processes that are started.
    var variables: [String: String] {
        let said: [String: String?] = [
            SlowOptions.variable: slow.slowLog,
            SlowOptions.namesVariable: slow.logNames?.rawValue,
            SampleOptions.variable: sampling.sampleLog,
            LogOptions.variable: format.logFormat?.rawValue,
        ]
        return said.compactMapValues(\.self)
    }
}
