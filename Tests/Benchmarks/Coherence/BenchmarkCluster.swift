import Foundation
import TestSupport

/// A cluster that `martlet up` runs, its log on disk and synchronized before anybody hears of a
/// record.
final class BenchmarkCluster {
    struct Plan {
        var nodeCount = 3
        var memory = "256MiB"
        var lease = "3s"
        var heartbeat = "500ms"
        /// Size of each node's disk tier, which lies in the cluster's directory.
        var disk: String?

        func yaml(port: Int, in directory: TemporaryDirectory) -> String {
            var lines = ["publisher:"]
            lines.append("  endpoint: tcp://127.0.0.1:\(port)")
            lines.append("  lease: \(lease)")
            lines.append("  heartbeat: \(heartbeat)")
            lines.append("  log: \"\(directory.file("log").path)\"")
            lines.append("  retention: {records: 4000000, bytes: 2GiB}")
            lines.append("nodes:")
            for number in 1...nodeCount {
                var node = "id: n\(number), port: \(port + 1 + number), memory: \(memory)"
                if let disk {
                    let path = directory.file("n\(number)-disk").path
                    node += ", disk: \(disk), disk-directory: \"\(path)\""
                }
                lines.append("  - {\(node)}")
            }
            return lines.joined(separator: "\n") + "\n"
        }
    }

    struct Ready: Codable {
        struct Role: Codable {
            var endpoint: String?
            var endpoints: [String]?
            var pid: Int32
        }

        var publisher: Role
        var nodes: [Role]
    }

    let publisher: String
    let publisherID: Int32
    let nodes: [String]
    let nodeIDs: [Int32]
    /// The processes that are measured.
    var processIDs: [Int32] { [publisherID] + nodeIDs }
    let directory: TemporaryDirectory
    private let up: ChildProcess

    private init(_ up: ChildProcess, _ ready: Ready, in directory: TemporaryDirectory) throws {
        self.up = up
        self.directory = directory
        guard let endpoint = ready.publisher.endpoint else { throw GaveUp("no endpoint") }
        publisher = endpoint
        publisherID = ready.publisher.pid
        nodes = ready.nodes.compactMap { $0.endpoints?.first }
        nodeIDs = ready.nodes.map(\.pid)
    }

    /// Starts one, hands it to `body` once every node is live, and ends it.
    static func run<Value>(
        _ program: String, _ plan: Plan, _ body: (BenchmarkCluster) throws -> Value
    ) throws -> Value {
        let cluster = try start(program, plan)
        defer { cluster.stop() }
        return try body(cluster)
    }

    /// The same for a body that waits.
    static func run<Value>(
        _ program: String, _ plan: Plan, _ body: (BenchmarkCluster) async throws -> Value
    ) async throws -> Value {
        let cluster = try start(program, plan)
        defer { cluster.stop() }
        return try await body(cluster)
    }

    private static func start(_ program: String, _ plan: Plan) throws -> BenchmarkCluster {
        for _ in 0..<10 {
            let directory = try TemporaryDirectory()
            do {
                if let cluster = try start(program, plan, in: directory) { return cluster }
            } catch {
                directory.remove()
                throw error
            }
            directory.remove()
        }
        throw GaveUp("ten random places for ports were all in use")
    }

    /// - Returns: `nil` if a port was in use.
    private static func start(
        _ program: String, _ plan: Plan, in directory: TemporaryDirectory
    ) throws -> BenchmarkCluster? {
        let port = Int.random(in: 20_000..<31_900)
        let (file, ready) = (directory.file("cluster.yaml"), directory.file("ready.json"))
        let text = plan.yaml(port: port, in: directory)
        try Data(text.utf8).write(to: file)
        let up = try ChildProcess(
            program,
            [
                "up", "--config", file.path, "--ready-file", ready.path, "--dir",
                directory.url.path,
            ], name: "up", in: directory)
        do {
            let deadline = Time.now + 60_000_000_000
            while up.isRunning, !FileManager.default.fileExists(atPath: ready.path) {
                guard Time.now < deadline else { throw GaveUp("the cluster did not start") }
                Time.pause(nanoseconds: 10_000_000)
            }
            guard up.isRunning else {
                guard up.errors.contains("in use") else { throw GaveUp(up.errors) }
                up.kill()
                return nil
            }
            let report = try JSONDecoder().decode(Ready.self, from: Data(contentsOf: ready))
            return try BenchmarkCluster(up, report, in: directory)
        } catch {
            up.stop()
            throw error
        }
    }

    private func stop() {
        // Who is stopped would not hear that it is to end.
        for id in processIDs where up.isRunning { kill(id, SIGCONT) }
        up.stop()
        directory.remove()
    }
}
