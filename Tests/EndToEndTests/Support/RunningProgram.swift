import Foundation
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Under `nohup` the tests ignore SIGHUP, and the programs that they start would, too.
private func heedHangups() { signal(SIGHUP, SIG_DFL) }

/// The program, running. It never outlives the tests: a second process on a pipe kills it when
/// the tests die before they could.
final class RunningProgram: Sendable {
    let name: String
    private let process: Process
    private let leash: Process
    private let leashInput: Pipe
    private let outputFile: URL
    private let errorsFile: URL

    /// Starts it; what it says goes to files in `directory`.
    ///
    /// - Parameter environment: beside what the tests have that is not the program's own.
    init(
        _ arguments: [String], name: String, in directory: URL, input: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        self.name = name
        outputFile = directory.appendingPathComponent("\(name).out")
        errorsFile = directory.appendingPathComponent("\(name).err")
        process = Process()
        process.executableURL = try Program.url()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("MARTLET_")
        }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        if let input {
            let file = directory.appendingPathComponent("\(name).in")
            try Data(input.utf8).write(to: file)
            process.standardInput = try FileHandle(forReadingFrom: file)
        }
        process.standardOutput = try Self.opened(outputFile)
        process.standardError = try Self.opened(errorsFile)
        heedHangups()
        try process.run()
        leashInput = Pipe()
        leash = Process()
        leash.executableURL = URL(fileURLWithPath: "/bin/sh")
        leash.arguments = ["-c", "read -r _; kill -KILL \"$0\"", "\(process.processIdentifier)"]
        leash.standardInput = leashInput
        leash.standardError = FileHandle.nullDevice
        do {
            try leash.run()
        } catch {
            Self.kill(process)
            throw error
        }
    }

    private static func opened(_ file: URL) throws -> FileHandle {
        try Data().write(to: file)
        return try FileHandle(forWritingTo: file)
    }

    var processID: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var output: String { Self.text(outputFile) }
    var errors: String { Self.text(errorsFile) }

    private static func text(_ file: URL) -> String {
        String(decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self)
    }

    func signal(_ number: Int32) {
        if process.isRunning { ProcessTable.send(number, to: process.processIdentifier) }
    }

    /// Its exit code, once it has ended by itself; a signal's number plus 128.
    func ended(within patience: Duration = .seconds(30)) async throws -> Int32 {
        try await eventually("\(name) ends", within: patience) { !process.isRunning }
        Self.kill(leash)
        let isSignalled = process.terminationReason == .uncaughtSignal
        return process.terminationStatus + (isSignalled ? 128 : 0)
    }

    /// Ends it at once, if it still runs. Any number of times.
    func kill() {
        Self.kill(process)
        Self.kill(leash)
    }

    private static func kill(_ process: Process) {
        if process.isRunning { ProcessTable.send(SIGKILL, to: process.processIdentifier) }
    }
}
