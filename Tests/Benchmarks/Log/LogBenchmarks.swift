import ArgumentParser

/// Measures the log on disk and what it touches, in process: what stands in docs/performance.md
/// under "A log on disk".
///
///     swift run -c release log-benchmarks make /tmp/log --mebibytes 1024
@main
struct LogBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-benchmarks",
        abstract: "Measure the log on disk and the floors, in this process.",
        subcommands: [MakeCommand.self, StartCommand.self, FloorsCommand.self])
}
