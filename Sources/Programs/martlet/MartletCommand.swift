import ArgumentParser
import CommandSurface

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
            ConfigCommand.self, KeygenCommand.self, DoctorCommand.self, CompletionCommand.self,
            BenchCommand.self,
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

/// `martlet completion SHELL`
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
