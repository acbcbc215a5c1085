import ArgumentParser
import CommandSurface
import Logging
import Telemetry

/// How a role writes its log.
struct LogOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// Lines for people.
        case text
        /// One JSON object a line.
        case json
    }

    @Option(
        help: ArgumentHelp(
            "Format of log lines: text, or json for log collectors. "
                + "(default: $MARTLET_LOG_FORMAT, else text)",
            valueName: "format"))
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
