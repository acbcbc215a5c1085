import ArgumentParser
import CacheAccess
import CacheConfiguration
import CommandSurface
import EssentialFoundation
import Logging
import Telemetry

/// How a role writes its log.
struct LogOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
    }

    @Option(
        help: .value(
            "format",
            "Format of log lines: text, or json for log collectors. "
                + "(default: $MARTLET_LOG_FORMAT, else text)"))
    var logFormat: Format?

    static let variable = "MARTLET_LOG_FORMAT"

    /// A logger of that name, writing to standard error.
    func logger(
        _ name: String, environment: [String: String] = ProcessEnvironment.variables
    ) throws -> Logger {
        switch try format(environment) {
        case .text: Logger(label: name) { StreamLogHandler.standardError(label: $0) }
        case .json: Logger(label: name) { JSONLineHandler.standardError(role: $0) }
        }
    }

    func format(_ environment: [String: String]) throws -> Format {
        if let logFormat { return logFormat }
        guard let text = environment[Self.variable], !text.isEmpty else { return .text }
        guard let format = Format(rawValue: text) else {
            throw CommandFailure(
                .wrongUsage, "\(Self.variable) is text or json, and not “\(text)”")
        }
        return format
    }
}

/// What a role says of operations that take long.
struct SlowOptions: ParsableArguments {
    @Option(
        help: .value(
            "duration",
            """
            Log each operation that takes at least so long, ten a second at most; off says \
            nothing. (default: $MARTLET_SLOW_LOG, else off)
            """))
    var slowLog: String?

    @Option(
        help: .value(
            "manner",
            """
            Names of keys in lines about operations: clear, hashed (equal names have equal hashes \
            while the process runs) or none. (default: $MARTLET_LOG_NAMES, else none)
            """))
    var logNames: AuditOptions.Names?

    static let variable = "MARTLET_SLOW_LOG"
    static let namesVariable = "MARTLET_LOG_NAMES"

    /// Where slow operations are noted; `nil`: nowhere.
    ///
    /// - Parameters:
    ///   - names: how names are written, of all lines of this process alike.
    ///   - isNaming: whether they are written elsewhere, too.
    func open(_ logger: Logger, names: AuditNames, isNaming: Bool = false) throws -> SlowLog? {
        try threshold(isNaming: isNaming).map {
            SlowLog(threshold: $0, names: names, logger: logger)
        }
    }

    /// What takes so long is slow; `nil`: nothing is noted.
    ///
    /// - Parameter isNaming: whether names are written elsewhere.
    func threshold(
        isNaming: Bool, environment: [String: String] = ProcessEnvironment.variables
    ) throws -> Duration? {
        let text = slowLog ?? environment[Self.variable] ?? ""
        guard !text.isEmpty, text != "off" else {
            guard logNames == nil || isNaming else {
                throw CommandFailure(
                    .wrongUsage,
                    "--log-names is for lines about operations: say --slow-log or --sample-log too")
            }
            return nil
        }
        let threshold = try GivenText(text: text, source: "--slow-log")
            .parsed { try DurationText.parse($0) }
        guard threshold > .zero else {
            throw CommandFailure(.wrongUsage, "--slow-log is off or a duration above zero")
        }
        return threshold
    }

    /// How names are written. Asked once a run: each answer hashes with a key of its own.
    func names(
        _ environment: [String: String] = ProcessEnvironment.variables
    ) throws -> AuditNames {
        var manner = logNames
        if manner == nil, let text = environment[Self.namesVariable], !text.isEmpty {
            manner = AuditOptions.Names(rawValue: text)
            guard manner != nil else {
                throw CommandFailure(
                    .wrongUsage,
                    "\(Self.namesVariable) is clear, hashed or none, and not “\(text)”")
            }
        }
        return manner.map(\.drawn) ?? AuditNames.none
    }
}

/// What a role says of one of so many operations, whatever they take.
struct SampleOptions: ParsableArguments {
    @Option(
        help: .value(
            "1/N",
            """
            Log one of so many operations, such as 1/1000: which key, and what it was answered. A \
            hundred lines a second at most. (default: $MARTLET_SAMPLE_LOG, else off)
            """))
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
