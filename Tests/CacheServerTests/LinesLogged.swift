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

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    func wait(for beginning: String) throws {
        try eventually("a line \(beginning)") { lines.contains { $0.hasPrefix(beginning) } }
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
            lines.kept.withLock { $0.append("\(event.level) \(event.message)") }
        }
    }
}

/// Looks again and again until it holds; the deadline is reached only by a failure.
func eventually(_ what: String, _ holds: () throws -> Bool) throws {
    // Nobody rings this bell: it is a pause between two looks.
    var pause = Poller()
    _ = pause.add(try Wakeup())
    try eventually(what, pausingWith: &pause, holds)
}

func eventually(
    _ what: String, pausingWith pause: inout Poller, _ holds: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while try !holds() {
        guard ContinuousClock.now < deadline else { throw GaveUp("never happened: \(what)") }
        _ = try pause.wait(timeout: .milliseconds(5))
    }
}
