import ArgumentParser
import Foundation
import Logging
import SpanCore
import SpanExport

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
    func place(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> CollectorPlace? {
        let text = traces ?? environment[Self.variable] ?? ""
        guard !text.isEmpty, text != "off" else { return nil }
        do throws(CollectorPlace.Mistake) {
            return try CollectorPlace(text)
        } catch {
            let source = traces == nil ? Self.variable : "--traces"
            throw CommandFailure(.wrongUsage, "\(source): \(error)")
        }
    }

    /// What sends the spans of a role that begins no traces. Whoever gets it stops it.
    func exporter(of service: String, logger: Logger) throws(CommandFailure) -> SpanExporter? {
        guard let place = try place(), let none = SpanRatio(share: 0) else { return nil }
        let resource = SpanResource(
            service: service, instance: UUID().uuidString.lowercased())
        let options = SpanExportOptions(place: place, ratio: none, resource: resource)
        return SpanExporter(options, logger: logger)
    }
}
