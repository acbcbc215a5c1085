import CommandSurface
import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One role as a child process of `up`.
///
/// The child's standard input is a pipe that only this process holds the other end of: when this
/// process dies, however it dies, the child reads the end of its input and ends itself.
final class ChildProcess: Sendable {
    let name: String
    let log: URL
    private let process: Process
    private let input: Pipe

    /// Starts this program again with `arguments`; its output goes to `log`.
    ///
    /// - Parameters:
    ///   - variables: beside what this process has.
    ///   - whenEnded: called once, on some thread, with how it ended.
    init(
        name: String, arguments: [String], variables: [String: String], log: URL,
        whenEnded: @escaping @Sendable (ChildEnd) -> Void
    ) throws {
        self.name = name
        self.log = log
        process = Process()
        input = Pipe()
        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let output = try FileHandle(forWritingTo: log)
        try output.seekToEnd()
        process.executableURL = try Self.executable
        process.arguments = arguments + ["--end-with-input"]
        // A key of whoever starts a cluster is not the key of its processes.
        process.environment = ProcessInfo.processInfo.environment.filter {
            !RoleOptions.accessVariables.contains($0.key)
        }.merging(variables) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { process in
            // It is called once, and holds whoever waits for it.
            process.terminationHandler = nil
            whenEnded(
                ChildEnd(
                    name: name, processID: process.processIdentifier,
                    code: process.terminationStatus,
                    wasSignalled: process.terminationReason == .uncaughtSignal))
        }
        try process.run()
    }

    var processID: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    /// Sends a signal, unless the process has ended.
    func signal(_ number: Int32) {
        if process.isRunning { kill(process.processIdentifier, number) }
    }

    /// The last line it wrote, without the program's name; `nil` if it wrote none.
    var complaint: String? {
        guard let text = FileManager.default.contents(atPath: log.path) else { return nil }
        let lines = String(decoding: text.suffix(2_000), as: UTF8.self).split(separator: "\n")
        return lines.last.map { String($0.trimmingPrefix("martlet: ")) }
    }

    private static var executable: URL {
        get throws {
            if let path = Bundle.main.executablePath { return URL(fileURLWithPath: path) }
            throw CommandFailure(.bug, "this program does not know its own path")
        }
    }
}
