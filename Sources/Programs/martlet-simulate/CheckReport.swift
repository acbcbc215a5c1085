import ByteCoding
import CommandSurface
import EssentialFoundation

/// The results of checks, in the order in which they are listed.
struct CheckReport: Sendable {
    let checks: [SimulationCheck]

    /// Runs independent checks on all processors.
    ///
    /// - Parameter check: runs the check at an index below `count`.
    static func running(
        _ count: Int, _ check: @escaping @Sendable (Int) -> SimulationCheck
    ) async -> CheckReport {
        let counter = SeedCounter(count)
        var results: [(index: Int, check: SimulationCheck)] = []
        await withTaskGroup(of: [(index: Int, check: SimulationCheck)].self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    var share: [(index: Int, check: SimulationCheck)] = []
                    while let index = counter.next() { share.append((index, check(index))) }
                    return share
                }
            }
            for await share in group { results += share }
        }
        return CheckReport(checks: results.sorted { $0.index < $1.index }.map(\.check))
    }

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(program: "martlet-simulate")
        let failed = checks.filter { !$0.isPassed }
        if style == .json {
            output.writeLine(json)
        } else {
            for check in checks { output.writeLine("\(check.name): \(check.sentence)") }
            if let story = failed.lazy.compactMap(\.story).first { output.writeLine(story) }
            output.writeLine("\(checks.count - failed.count) passed, \(failed.count) failed")
        }
        for check in failed { output.complain("\(check.name): \(check.sentence)", .violation) }
        return output
    }

    private var json: JSONDocument {
        .object([
            (
                "checks",
                .list(
                    checks.map {
                        .object([
                            ("name", .text($0.name)), ("passed", .bool($0.isPassed)),
                            ("sentence", .text($0.sentence)),
                        ])
                    })
            ),
            ("passed", .integer(checks.count(where: \.isPassed))),
            ("failed", .integer(checks.count(where: { !$0.isPassed }))),
        ])
    }
}
