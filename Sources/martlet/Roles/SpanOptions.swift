import ArgumentParser
import Foundation
import Logging
import SpanCore
import SpanExport

/// Where a role sends spans of what it does, and of how much.
struct SpanOptions: ParsableArguments {
    @OptionGroup var collector: CollectorOptions

    @Option(
        help: ArgumentHelp(
            """
            With --traces: the share of traces begun here that is recorded, 0 to 1. One that a \
            request belongs to is recorded if it says so. \
            (default: $MARTLET_TRACE_RATIO, else 0.01)
            """,
            valueName: "share"))
    var traceRatio: String?

    static let ratioVariable = "MARTLET_TRACE_RATIO"
    private static let shareStandard = 0.01

    /// What is said; `nil`: nothing is recorded. Errors never repeat a URL: it may hold a password.
    func plan(
        of service: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> SpanExportOptions? {
        guard let place = try collector.place(environment) else {
            guard traceRatio == nil else {
                throw CommandFailure(.wrongUsage, "--trace-ratio is for spans: say --traces too")
            }
            return nil
        }
        return SpanExportOptions(
            place: place, ratio: try ratio(environment),
            resource: SpanResource(service: service, instance: UUID().uuidString.lowercased()))
    }

    private func ratio(_ environment: [String: String]) throws -> SpanRatio {
        let text = traceRatio ?? environment[Self.ratioVariable] ?? ""
        let share = text.isEmpty ? Self.shareStandard : Double(text)
        guard let share, let ratio = SpanRatio(share: share) else {
            let source = traceRatio == nil ? Self.ratioVariable : "--trace-ratio"
            throw CommandFailure(
                .wrongUsage, "\(source) is a share from 0 to 1, and not “\(text)”")
        }
        return ratio
    }
}
