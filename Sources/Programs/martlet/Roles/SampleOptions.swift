import ArgumentParser
import CacheConfiguration
import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Int? {
        let variable = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = sampleLog ?? variable else { return configured }
        do throws(TextProblem) {
            return try SampleText.parse(text)
        } catch {
            let source = sampleLog == nil ? Self.variable : "--sample-log"
            throw CommandFailure(.wrongUsage, "\(source): \(error.sentence)")
        }
    }
}
