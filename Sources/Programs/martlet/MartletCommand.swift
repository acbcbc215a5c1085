import ArgumentParser

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
