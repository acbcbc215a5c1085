import Foundation
import TestSupport

/// A process of a measurement. It never outlives it: a second one on a pipe kills it when this one
/// dies before it could.
final class ChildProcess {
    private let process = Process()
    private let leash = Process()
    private let leashInput = Pipe()
    private let errorsFile: URL

    /// Starts it; what it says goes to files in `directory`.
    init(
        _ program: String, _ arguments: [String], name: String, in directory: TemporaryDirectory
    ) throws {
        errorsFile = directory.file("\(name).err")
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("MARTLET_")
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try Data().write(to: errorsFile)
        process.standardError = try FileHandle(forWritingTo: errorsFile)
        try process.run()
        leash.executableURL = URL(fileURLWithPath: "/bin/sh")
        leash.arguments = ["-c", "read -r _; kill -KILL \"$0\"", "\(process.processIdentifier)"]
        leash.standardInput = leashInput
        leash.standardError = FileHandle.nullDevice
        do {
            try leash.run()
        } catch {
            kill()
            throw error
        }
    }

    var processID: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    var errors: String {
        String(
            decoding: FileManager.default.contents(atPath: errorsFile.path) ?? Data(),
            as: UTF8.self)
    }

    func signal(_ number: Int32) {
        if process.isRunning { Foundation.kill(process.processIdentifier, number) }
    }

    /// Asks it to end, and makes it end if it does not.
    func stop() {
        signal(SIGTERM)
        let deadline = Time.now + 10_000_000_000
        while process.isRunning, Time.now < deadline { Time.pause(nanoseconds: 5_000_000) }
        kill()
    }

    /// Ends it at once and waits until it is gone. Any number of times.
    func kill() {
        signal(SIGKILL)
        if process.isRunning { process.waitUntilExit() }
        if leash.isRunning {
            Foundation.kill(leash.processIdentifier, SIGKILL)
            leash.waitUntilExit()
        }
    }
}
