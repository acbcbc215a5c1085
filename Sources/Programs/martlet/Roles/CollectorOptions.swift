import ArgumentParser
import CommandSurface
import CacheMetrics
import Telemetry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a role sends spans.
struct CollectorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Send spans to an OpenTelemetry collector there, by OTLP over HTTP; off sends none. \
            (default: $MARTLET_TRACES, else off)
            """,
            valueName: "url"))
    var traces: String?

    static let variable = "MARTLET_TRACES"

    /// What is said; `nil`: nowhere. Errors never repeat a URL: it may hold a password.
    func plan(
        of service: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
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
