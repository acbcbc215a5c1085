import AccessControl
import ArgumentParser
import CacheConfiguration
import CacheMetrics
import CommandSurface
import Logging
import Telemetry
import EssentialFoundation

/// Where a role answers monitoring systems.
struct HealthOptions: ParsableArguments {
    @Option(
        help: .value(
            "address:port",
            """
            Answer GET /metrics, /livez and /readyz here over HTTP; a port alone is on 127.0.0.1, \
            none switches it off. (default: $MARTLET_HTTP)
            """))
    var http: String?

    @Option(
        help: .value(
            "file",
            "A file with the token that /metrics takes to be shown. "
                + "(default: $MARTLET_HTTP_TOKEN_FILE)"))
    var httpTokenFile: String?

    static let variable = "MARTLET_HTTP"
    static let tokenVariable = "MARTLET_HTTP_TOKEN_FILE"

    /// What is listened for, and by what one is let in.
    struct Plan {
        var place: HTTPPlace
        var token: MetricsToken?
    }

    /// What the flags, the variables and the file say; `nil`: nothing is answered over HTTP.
    ///
    /// - Parameter mayBeReached: whether it was allowed that others reach what nothing guards.
    func plan(
        _ configured: HTTPPlace?, mayBeReached: Bool,
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> Plan? {
        let token = try token(environment)
        guard let place = try place(configured, environment) else {
            guard httpTokenFile == nil else {
                throw CommandFailure(
                    .wrongUsage, "--http-token-file is for metrics over HTTP: say --http too")
            }
            return nil
        }
        guard place.isLoopback || token != nil || mayBeReached else {
            throw CommandFailure(
                .unusableConfiguration,
                "\(place) can be reached from other machines, and shows them figures, names of "
                    + "nodes and namespaces: say --http-token-file, listen on 127.0.0.1, or say "
                    + "--insecure-bind if the network keeps strangers out")
        }
        return Plan(place: place, token: token)
    }

    private func place(
        _ configured: HTTPPlace?, _ environment: [String: String]
    ) throws -> HTTPPlace? {
        guard let text = http ?? environment[Self.variable], !text.isEmpty else {
            return configured
        }
        if text == "none" { return nil }
        return try GivenText(text: text, source: "--http").parsed { try HTTPPlace.parse($0) }
    }

    private func token(_ environment: [String: String]) throws -> MetricsToken? {
        guard let path = httpTokenFile ?? environment[Self.tokenVariable], !path.isEmpty else {
            return nil
        }
        let bytes = try Self.contents(of: path)
        do throws(HealthStartError) {
            return try MetricsToken(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw Self.refusal("\(path): \(error)")
        }
    }

    /// What is in the token's file; nothing where that is more than any token is.
    private static func contents(of path: String) throws(CommandFailure) -> [UInt8] {
        // With the end of its line.
        let bytesMax = HealthLimits.tokenBytes.upperBound + 2
        do throws(OpenedFile.Problem) {
            return try OpenedFile.contents(of: path, bytesMax: bytesMax, isSecret: true)
        } catch {
            switch error {
            case .tooLong: return []
            case .noFile: throw refusal("\(path) is not a file")
            case .open:
                throw refusal("others may read \(path): chmod 600 it, and make a new token")
            case .failed: throw refusal("\(path) cannot be read: \(error.reason)")
            }
        }
    }

    private static func refusal(_ sentence: String) -> CommandFailure {
        CommandFailure(.unusableConfiguration, "--http-token-file: \(sentence)")
    }
}

extension HealthOptions.Plan {
    func start(
        role: String, logger: Logger,
        takeReport: @escaping @Sendable (@escaping @Sendable (any HealthReport) -> Void) -> Void
    ) throws(CommandFailure) -> HealthListener {
        let watch = ProcessWatch(role: role, version: MartletVersion.text)
        return try CommandFailure.wrapping {
            try HealthListener.start(
                host: place.host, port: Int(place.port), token: token,
                HealthSource(takeReport: takeReport) { watch.page }, logger: logger)
        }
    }
}

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
