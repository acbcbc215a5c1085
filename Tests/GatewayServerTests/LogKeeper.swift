import Logging
import Threading

/// Keeps what is logged.
final class LogKeeper: Sendable {
    private let kept = Guarded<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { [self] _ in Handler(keeper: self) }
    }

    private struct Handler: LogHandler {
        let keeper: LogKeeper
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(keeper: LogKeeper) { self.keeper = keeper }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            keeper.kept.withLock { $0.append("\(event.message)") }
        }
    }
}
