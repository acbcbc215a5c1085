package import Logging
import Synchronization

/// Collects the lines that are logged: level, message and, sorted by name, its metadata.
package final class LinesLogged: Sendable {
    private let kept = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { kept.withLock { $0 } }

    /// How many lines have this prefix.
    package func count(_ prefix: String) -> Int { lines.count { $0.hasPrefix(prefix) } }

    /// Waits for a line with this prefix.
    package func wait(for prefix: String) throws {
        try waitUntil("a line \(prefix)") { count(prefix) > 0 }
    }

    package var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let lines: LinesLogged
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let more = (event.metadata ?? [:]).sorted { $0.key < $1.key }
                .map { " \($0.key)=\($0.value)" }.joined()
            lines.kept.withLock { $0.append("\(event.level) \(event.message)\(more)") }
        }
    }
}
