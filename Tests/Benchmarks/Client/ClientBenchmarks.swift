import ArgumentParser

/// Measures the client's async face against a real node.
///
///     swift build -c release
///     .build/release/client-benchmarks awaits
///
/// Each verb starts `martlet up` with one node on free ports of 127.0.0.1, unless it is given an
/// endpoint, and ends by itself, and with it what it started.
@main
struct ClientBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client-benchmarks",
        abstract: "Measure the client's async face: one await for each key.",
        subcommands: [AwaitsCommand.self, AloneCommand.self, CheckCommand.self])
}
