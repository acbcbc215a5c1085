import Foundation
import Logging
import Threading
import ZeroMQ

/// A directory of its own, which goes away with this.
final class AuditDirectory {
    let path: String
    private let isMounted: Bool

    init() throws {
        path = try Self.fresh()
        isMounted = false
    }

    /// Memory that is a small file system; `nil`, and says why, where none may be mounted.
    init?(megabytes: Int) throws {
        path = try Self.fresh()
        let arguments = ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path]
        isMounted = try Self.run("mount", arguments)
        guard isMounted else {
            print("skipped: no file system can be mounted here")
            return nil
        }
    }

    deinit {
        do {
            if isMounted { _ = try Self.run("umount", ["-l", path]) }
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) was not removed: \(error)")
        }
    }

    var file: String { path + "/audit" }

    func lines(of name: String = "audit") -> [String] {
        guard let data = FileManager.default.contents(atPath: "\(path)/\(name)") else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The numbered files, the oldest first, and the one that is written.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasPrefix("audit") }.sorted(by: >)
    }

    private static func fresh() throws -> String {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-audit-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
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

struct GaveUp: Error {
    let what: String
}

/// Looks again and again until it holds; the deadline is reached only by a failure.
func eventually(_ what: String, _ holds: () throws -> Bool) throws {
    // Nobody rings this bell: it is a pause between two looks.
    var pause = Poller()
    _ = pause.add(try Wakeup())
    let deadline = ContinuousClock.now + .seconds(30)
    while try !holds() {
        guard ContinuousClock.now < deadline else { throw GaveUp(what: what) }
        _ = try pause.wait(timeout: .milliseconds(5))
    }
}
