import Logging
import Telemetry
import Threading

/// Keeps lines of a log.
final class LineCatcher: Sendable {
    private let kept = Guarded<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { label in
            JSONLineHandler(role: label) { line in self.kept.withLock { $0.append(line) } }
        }
    }
}
