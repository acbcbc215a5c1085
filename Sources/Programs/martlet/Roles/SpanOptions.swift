import ArgumentParser
import CommandSurface
import CacheMetrics
import Telemetry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a role sends spans of what it does, and of how much.
struct SpanOptions: ParsableArguments {
    @OptionGroup var collector: CollectorOptions

    @Option(
        help: .value(
            "share",
            """
            With --traces: the share of traces begun here that is recorded, 0 to 1. One that a \
            request belongs to is recorded if it says so. \
            (default: $MARTLET_TRACE_RATIO, else 0.01)
            """))
    var traceRatio: String?

    static let ratioVariable = "MARTLET_TRACE_RATIO"
    private static let shareStandard = 0.01

    /// What is said, and which of the traces that begin here are recorded; `nil`: nothing is.
    func plan(
        of service: String,
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> (export: SpanExportOptions, ratio: SpanRatio)? {
        guard let export = try collector.plan(of: service, environment: environment) else {
            guard traceRatio == nil else {
                throw CommandFailure(.wrongUsage, "--trace-ratio is for spans: say --traces too")
            }
            return nil
        }
        return (export, try ratio(environment))
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

/// Where a role sends spans.
struct CollectorOptions: ParsableArguments {
    @Option(
        help: .value(
            "url",
            """
            Send spans to an OpenTelemetry collector there, by OTLP over HTTP; off sends none. \
            (default: $MARTLET_TRACES, else off)
            """))
    var traces: String?

    static let variable = "MARTLET_TRACES"

    /// What is said; `nil`: nowhere. Errors never repeat a URL: it may hold a password.
    func plan(
        of service: String,
        environment: [String: String] = ProcessEnvironment.variables
    ) throws(CommandFailure) -> SpanExportOptions? {
        let text = traces ?? environment[Self.variable] ?? ""
        guard !text.isEmpty, text != "off" else { return nil }
        let source = traces == nil ? Self.variable : "--traces"
        try BuildFeature.httpClient.require(for: source)
        do throws(CollectorPlace.Mistake) {
            return SpanExportOptions(
                place: try CollectorPlace(text),
                resource: SpanResource(service: service, instance: UUID().uuidString.lowercased()))
        } catch {
            throw CommandFailure(.wrongUsage, "\(source): \(error)")
        }
    }
}
