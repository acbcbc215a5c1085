import ArgumentParser

/// Measures the protocol with real processes: what stands in docs/performance.md under
/// "Coherence".
///
///     swift build -c release
///     .build/release/coherence-benchmarks latency
///
/// Each verb starts a cluster of its own on free ports of 127.0.0.1, with its log in a temporary
/// directory, and beside it what the figure is compared with. It ends by itself, and with it every
/// process that it started.
@main
struct CoherenceBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coherence-benchmarks",
        abstract: "Measure invalidation and strong reads, with real processes on this machine.",
        subcommands: [
            LatencyCommand.self, FlatOutCommand.self, WaitCommand.self, LossCommand.self,
            CatchUpCommand.self, PartitionCommand.self, TagCommand.self, DryRunCommand.self,
            StrongCommand.self, DiskBusyCommand.self, BarePublisherCommand.self,
            BareSubscriberCommand.self,
        ])
}
