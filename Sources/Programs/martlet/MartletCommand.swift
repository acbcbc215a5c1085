import ArgumentParser
import ByteCoding
import CacheModel
import CommandSurface
import MartletClient

/// The program: one verb, one job, one exit code.
///
/// The command only reads arguments and configuration, builds one shell – a server of a role, or a
/// client – and turns what comes back into text and an exit code. It decides nothing about
/// caching.
///
///     martlet up ──▶ publisher, nodes                 (child processes of this same program)
///     martlet node, publisher, gateway ──▶ CacheServer, PublisherServer, GatewayServer
///     martlet get, set, invalidate, … ──▶ MartletClient
///     martlet bench ──▶ MartletClient, pipelined
///     martlet verify ──▶ MartletClient, and CacheVerification to judge what it says
///     martlet trace ──▶ CacheMemory, without a cluster
///     martlet inspect ──▶ Storage, for reading alone
///     martlet audit ──▶ lines that AccessControl wrote
///
/// The simulation is a program of its own, `martlet-simulate`.
/// docs/commands.md tells every flag; the exit codes are ``ExitStatus``.
@main
struct MartletCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet",
        abstract: "A distributed cache with receipts for invalidations.",
        discussion: """
            Start a cluster on this machine, and use it:
              martlet up
              martlet set greeting hello --tag words
              martlet get greeting
              martlet invalidate tag words
            """,
        version: MartletVersion.line,
        subcommands: [
            UpCommand.self, NodeCommand.self, PublisherCommand.self, GatewayCommand.self,
            GetCommand.self, SetCommand.self, TouchCommand.self, DeleteCommand.self,
            InvalidateCommand.self, PacingCommand.self, PrefetchCommand.self, QueueCommand.self,
            ScanCommand.self, ExplainCommand.self, StatusCommand.self, TopCommand.self,
            TailCommand.self, DrainCommand.self, ForgetCommand.self, AuditCommand.self,
            ClusterCommand.self, ConfigCommand.self, LogCommand.self, KeygenCommand.self,
            DoctorCommand.self,
            CompletionCommand.self, BenchCommand.self,
            VerifyCommand.self, TraceCommand.self, InspectCommand.self, SimulateCommand.self,
        ])
}

/// What is running.
enum MartletVersion {
    static let text = "0.1.0"

    /// With the traits that were off in this build.
    static var line: String {
        BuildFeature.hasWeb ? text : "\(text), without \(BuildFeature.trait)"
    }
}

/// `martlet simulate`: says where the simulation is now.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Moved to the program martlet-simulate.",
        shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func run() throws {
        throw CommandFailure(
            .wrongUsage,
            "martlet simulate is a program of its own now, with the same options: "
                + "swift run -c release martlet-simulate")
    }
}

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a script that completes commands in a shell.",
        discussion: """
            Commands, flags and files are completed, and so are node ids and namespaces: those of \
            the cluster that --cluster or MARTLET_CLUSTER names, if it answers within half a second.

              martlet completion bash > ~/.local/share/bash-completion/completions/martlet
              martlet completion zsh > ~/.zsh/completions/_martlet
              martlet completion fish > ~/.config/fish/completions/martlet.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash
        case zsh
        case fish
    }

    @Argument(help: "Which shell reads it.")
    var shell: Shell

    var script: String {
        let script = MartletCommand.completionScript(for: Self.known(shell))
        return script.hasSuffix("\n") ? script : script + "\n"
    }

    func run() throws { try Console.write(script) }

    private static func known(_ shell: Shell) -> CompletionShell {
        switch shell {
        case .bash: .bash
        case .zsh: .zsh
        case .fish: .fish
        }
    }
}

struct DrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Have a node finish what it accepted, and leave.",
        discussion: """
            The node takes no new stores and gives no right to load, answers reads, finishes what \
            is under way (15 seconds at most), says goodbye and ends with 0. No invalidation waits \
            for it from then on. Its keys stay its own until the configuration changes. With \
            slots the others first get its keys, and then its entries, for a minute at most. The \
            command waits until it has left, 90s unless --timeout says otherwise; asking again is \
            harmless. Ends with 2 if it is still there, with 3 if it does not answer.

              martlet drain n2
              martlet drain n2 --timeout 1m --json
            """)

    static let patienceDefault: Duration = .seconds(90)

    @Argument(help: "The node.", completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let patience = cluster.timeout ?? Self.patienceDefault
        let report = try await cluster.withClient(for: .manyAnswers) { client in
            try await NodeDrain(
                node: node, client: client, patience: patience, isQuiet: cluster.quiet
            ).report()
        }
        try cluster.finish(report.output(cluster.style), confirms: true)
    }
}

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tell why each node would show a key, or would not.",
        discussion: """
            Shows what no get does: hidden entries, the invalidations that cover them, and \
            whether the key is being loaded. It changes nothing. Ends with 2 if a node does not \
            answer.

            --origin compares what each node would show as fresh with the value that the key's \
            origin has now: one request to the origin for each of these nodes.

              martlet explain user:42
              martlet explain user:42 --namespace users --origin
              martlet explain logo --namespace images --node n2 --json
            """)

    @Argument(help: "The key.", transform: ArgumentText.key)
    var key: CacheKey

    @Option(help: "Only this node.", completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID?

    @Flag(help: "Compare with what the key's origin has.")
    var origin = false

    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let report = try await cluster.withClient { client in
            var report = try await ExplainReport.gathered(
                key, in: room.room, only: node, from: client)
            if origin { await report.compareWithOrigin(by: client) }
            return report
        }
        try cluster.finish(report.output(cluster.style))
    }
}

struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Have the publisher drop what it knows of a dead node.",
        discussion: """
            For a node that ended without a goodbye: status lists it as never heard then. A node \
            that may still answer fresh is refused, and the line says for how long; one that runs \
            is drained first. It stays in the configuration and owns the keys it owned; if it \
            returns, it introduces itself again. By itself all this happens ten minutes after its \
            last grant ended.

            With topology: slots its keys go to the other nodes at once, also where most nodes \
            are away and nothing fails over by itself: of two nodes, for example. It gets keys \
            again some time after it is back.

              martlet forget n2
            """)

    @Argument(help: "The node.", completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let count = try await cluster.withClient { try await $0.cluster.forget(node) }
        try cluster.finish(
            ForgetReport(node: node, runCount: count).output(cluster.style), confirms: true)
    }
}

/// What the publisher dropped of a node.
struct ForgetReport {
    var node: NodeID
    var runCount: Int

    func output(_ style: OutputStyle) -> CommandOutput {
        let json = JSONDocument.object([
            ("node", .node(node)), ("runs", .integer(runCount)), ("why", .text(sentence)),
        ])
        return CommandOutput(style, json: json) { $0.writeLine(sentence) }
    }

    private var sentence: String {
        guard runCount > 0 else {
            return "nothing was known of \(node): it was never heard, or has said goodbye"
        }
        return "\(node) is forgotten (\(FigureText.count(runCount, "run"))): it counts as never "
            + "heard, and keeps its keys unless the log assigns slots"
    }
}
