import Foundation
import TestSupport

/// A cluster of one node that `martlet up` runs, with everything in a directory of its own. A
/// second process on a pipe ends it when this one dies before it could.
final class ServedCluster {
    private struct Ready: Codable {
        struct Role: Codable { var endpoint: String? }
        var publisher: Role
    }

    let endpoint: String
    private let up: Process
    private let leash: Process
    private let leashInput: Pipe
    private let directory: URL

    /// Starts it and waits until it serves.
    init(_ program: String?) throws {
        let beside = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent("martlet")
        let program = program.map { URL(fileURLWithPath: $0) } ?? beside
        var failure = GaveUp("ten random places for ports were all in use")
        for _ in 0..<10 {
            let directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("martlet-client-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let (up, leash, input) = try Self.start(program, in: directory)
            do {
                endpoint = try Self.wait(for: up, in: directory)
                (self.up, self.leash, self.directory, leashInput) = (up, leash, directory, input)
                return
            } catch let error as GaveUp {
                failure = error
                Self.end(up, leash, directory)
                guard error.description.contains("in use") else { throw error }
            }
        }
        throw failure
    }

    private static func start(
        _ program: URL, in directory: URL
    ) throws -> (up: Process, leash: Process, input: Pipe) {
        let port = Int.random(in: 20_000..<31_900)
        let file = directory.appendingPathComponent("cluster.yaml")
        let lines = [
            "publisher:", "  endpoint: tcp://127.0.0.1:\(port)", "nodes:",
            "  - {id: n1, port: \(port + 2), memory: 512MiB}",
        ]
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        let errors = directory.appendingPathComponent("up.err")
        try Data().write(to: errors)
        let up = Process()
        up.executableURL = program
        up.arguments = [
            "up", "--config", file.path, "--ready-file",
            directory.appendingPathComponent("ready.json").path, "--dir", directory.path,
        ]
        up.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("MARTLET_")
        }
        up.standardInput = FileHandle.nullDevice
        up.standardOutput = FileHandle.nullDevice
        up.standardError = try FileHandle(forWritingTo: errors)
        try up.run()
        let (leash, input) = (Process(), Pipe())
        leash.executableURL = URL(fileURLWithPath: "/bin/sh")
        leash.arguments = ["-c", "read -r _; kill -KILL \"$0\"", "\(up.processIdentifier)"]
        leash.standardInput = input
        try leash.run()
        return (up, leash, input)
    }

    /// - Returns: where its publisher listens.
    private static func wait(for up: Process, in directory: URL) throws -> String {
        let ready = directory.appendingPathComponent("ready.json")
        let deadline = Date.now.addingTimeInterval(60)
        while up.isRunning, !FileManager.default.fileExists(atPath: ready.path) {
            guard Date.now < deadline else { throw GaveUp("the cluster did not start") }
            Time.pause(milliseconds: 10)
        }
        guard up.isRunning else {
            let errors = directory.appendingPathComponent("up.err")
            throw GaveUp(try String(contentsOf: errors, encoding: .utf8))
        }
        let report = try JSONDecoder().decode(Ready.self, from: Data(contentsOf: ready))
        guard let endpoint = report.publisher.endpoint else { throw GaveUp("no endpoint") }
        return endpoint
    }

    func stop() { Self.end(up, leash, directory) }

    private static func end(_ up: Process, _ leash: Process, _ directory: URL) {
        up.terminate()
        let deadline = Date.now.addingTimeInterval(10)
        while up.isRunning, Date.now < deadline { Time.pause(milliseconds: 10) }
        if up.isRunning {
            kill(up.processIdentifier, SIGKILL)
            up.waitUntilExit()
        }
        kill(leash.processIdentifier, SIGKILL)
        leash.waitUntilExit()
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            print("\(directory.path) is left behind: \(error)")
        }
    }
}
