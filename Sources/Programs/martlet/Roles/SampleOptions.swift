import ArgumentParser
import CacheConfiguration
import CommandSurface

/// What a role says of one of so many operations, whatever they take.
struct SampleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Log one of so many operations, such as 1/1000: which key, and what it was answered. A \
            hundred lines a second at most. (default: $MARTLET_SAMPLE_LOG, else off)
            """,
            valueName: "1/N"))
    var sampleLog: String?

    static let variable = "MARTLET_SAMPLE_LOG"

    /// Of how many operations one is logged; `nil`: none is.
    ///
    /// - Parameter configured: what the file says.
    func every(
        _ configured: Int? = nil,
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> Int? {
        let given = GivenText(
            sampleLog, "--sample-log", environment.filter { !$0.value.isEmpty })
        guard let given else { return configured }
        return try given.parsed(by: SampleText.parse)
    }
}
