import ArgumentParser

/// Measures the memory engine in process: what stands in docs/performance.md under "The engine".
///
///     swift run -c release engine-benchmarks gets
@main
struct EngineBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine-benchmarks",
        abstract: "Measure the memory engine, in this process and on one thread.",
        subcommands: [
            GetsCommand.self, TagsCommand.self, StoresCommand.self, ExpiryCommand.self,
            PacedCommand.self, MemoryCommand.self, ShiftCommand.self, CoreCommand.self,
            SoakCommand.self, DiskIndexCommand.self, TwoTierCommand.self, DiskFileCommand.self,
            DiskFileLifeCommand.self, CheckCommand.self,
        ])
}
