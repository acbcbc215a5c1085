import Logging
import Threading
import ZeroMQ

struct GaveUp: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The lines that were logged, each behind its level.
final class LinesLogged: Sendable {
    private let kept = Guarded<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func count(_ beginning: String) -> Int { lines.count { $0.hasPrefix(beginning) } }

    var logger: Logger {
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

/// Looks again and again until it holds; the deadline is reached only by a failure.
func eventually(_ what: String, _ holds: () throws -> Bool) throws {
    // Nobody rings this bell: it is a pause between two looks.
    var pause = Poller()
    _ = pause.add(try Wakeup())
    let deadline = ContinuousClock.now + .seconds(30)
    while try !holds() {
        guard ContinuousClock.now < deadline else { throw GaveUp("never happened: \(what)") }
        _ = try pause.wait(timeout: .milliseconds(5))
    }
}
