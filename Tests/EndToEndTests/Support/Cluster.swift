import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A cluster that `martlet up` runs, as a new user would start it.
final class Cluster: Sendable {
    /// What the ready file says.
    struct ReadyReport: Codable {
        struct Role: Codable {
            var id: String?
            var endpoint: String?
            var endpoints: [String]?
            var url: String?
            var http: String?
            var pid: Int32
        }

        var publisher: Role
        /// `nil`: there is only one.
        var publishers: [Role]?
        var etcd: [Role]?
        var nodes: [Role]
        var gateway: Role?

        var processIDs: [Int32] {
            let others = (publishers ?? [publisher]) + (etcd ?? []) + nodes
            return others.map(\.pid) + (gateway.map { [$0.pid] } ?? [])
        }
    }

    let up: RunningProgram
    let ready: ReadyReport
    let directory: TemporaryDirectory
    let view: ClusterView

    private init(
        _ up: RunningProgram, _ ready: ReadyReport, in directory: TemporaryDirectory,
        _ plan: ClusterPlan
    ) throws {
        self.up = up
        self.ready = ready
        self.directory = directory
        view = try ClusterView(
            endpoint: try #require(ready.publisher.endpoint),
            keyFile: plan.isSecure ? directory.file("keys/admin.key") : nil,
            nodes: try ready.nodes.map { try #require(NodeID($0.id ?? "")) },
            isReplicated: plan.topology == .replicated)
    }

    var client: CacheClient { view.client }
    var configurationFile: URL { directory.file("cluster.yaml") }
    var readyFile: URL { directory.file("ready.json") }

    /// Everything that a process has said.
    func log(of name: String) -> String {
        let data = FileManager.default.contents(atPath: directory.file("\(name).log").path)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// The process of a node, as it was when the cluster became ready.
    func processID(of node: NodeID) throws -> Int32 {
        try #require(ready.nodes.first { $0.id == node.name }).pid
    }

    /// Starts one on ports that it finds, and waits until every node is live.
    static func start(_ plan: ClusterPlan) async throws -> Cluster {
        for _ in 0..<10 {
            if let cluster = try await attempt(plan, port: .random(in: 20_000..<31_900)) {
                return cluster
            }
        }
        throw GaveUp("ten random places for 64 ports were all in use")
    }

    /// - Returns: `nil` if a port was in use.
    private static func attempt(_ plan: ClusterPlan, port: UInt16) async throws -> Cluster? {
        let directory = try TemporaryDirectory()
        do {
            try plan.makeLog?(directory.file("log").path)
            var arguments = ["up", "--ready-file", directory.file("ready.json").path]
            arguments += ["--dir", directory.url.path]
            if plan.needsFile {
                let file = directory.file("cluster.yaml")
                try Data(plan.yaml(port: port, in: directory).utf8).write(to: file)
                arguments += ["--config", file.path]
            } else {
                arguments += ["--port", "\(port)", "--topology", plan.topology.rawValue]
                arguments += ["--nodes", "\(plan.nodeCount)"]
                if let disk = plan.disk { arguments += ["--disk", disk] }
                if plan.isSecure { arguments.append("--secure") }
                if plan.publisherCount > 1 {
                    arguments += ["--publishers", "\(plan.publisherCount)"]
                }
            }
            if plan.hasGateway { arguments.append("--gateway") }
            arguments += plan.flags
            if let respawn = plan.respawn { arguments += ["--respawn=\(respawn)"] }
            let up = try RunningProgram(
                arguments, name: "up", in: directory.url, environment: plan.environment)
            do {
                return try await whenReady(up, in: directory, plan)
            } catch {
                up.kill()
                guard up.errors.contains("in use") else {
                    throw GaveUp("up did not become ready: \(error)\n\(up.output)\(up.errors)")
                }
                directory.remove()
                return nil
            }
        } catch {
            directory.remove()
            throw error
        }
    }

    private static func whenReady(
        _ up: RunningProgram, in directory: TemporaryDirectory, _ plan: ClusterPlan
    ) async throws -> Cluster {
        let file = directory.file("ready.json")
        try await eventually("the ready file is written", within: .seconds(60)) {
            FileManager.default.fileExists(atPath: file.path) || !up.isRunning
        }
        guard up.isRunning else { throw GaveUp("up ended") }
        let ready = try JSONDecoder().decode(ReadyReport.self, from: Data(contentsOf: file))
        return try Cluster(up, ready, in: directory, plan)
    }

    /// Stops it as Ctrl-C would, and expects that it leaves nothing behind.
    func stop() async throws {
        let children = Set(ProcessTable.children(of: up.processID) + ready.processIDs)
        up.signal(SIGTERM)
        let code = try await up.ended()
        #expect(code == 0, "up ended with \(code): \(up.errors)")
        let left = children.filter(ProcessTable.isAlive)
        #expect(left.isEmpty, "processes are left behind: \(left)")
        for child in left { ProcessTable.send(SIGKILL, to: child) }
        #expect(!FileManager.default.fileExists(atPath: readyFile.path), "the ready file is left")
    }

    /// Ends everything that may still run. Any number of times.
    func clear() {
        // Stopped ones would not notice that their parent is gone.
        let children = up.isRunning ? ProcessTable.children(of: up.processID) : []
        up.kill()
        for child in children { ProcessTable.send(SIGKILL, to: child) }
        directory.remove()
    }

    /// What the processes said last, for a story that failed.
    var logs: String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.url.path)) ?? []
        return names.filter { $0.hasSuffix(".log") || $0 == "up.err" }.sorted().map { name in
            let data = FileManager.default.contents(atPath: directory.file(name).path) ?? Data()
            return "--- \(name)\n" + String(decoding: data.suffix(3_000), as: UTF8.self)
        }.joined(separator: "\n")
    }
}

/// Tells a story in a cluster of its own, which is stopped and looked after at its end.
func withCluster(
    _ plan: ClusterPlan = ClusterPlan(), _ story: (Cluster) async throws -> Void
) async throws {
    let cluster = try await Cluster.start(plan)
    defer { cluster.clear() }
    do {
        try await story(cluster)
        await cluster.client.close()
        try await cluster.stop()
    } catch {
        Issue.record("\(error)\n\(cluster.logs)")
        await cluster.client.close()
    }
}
