import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

/// A publisher and nodes n1 and n2, each started by hand with a key of its own, so that each can
/// be started again with another. Replicated, with two shards each.
final class KeyedFleet {
    /// Where a role listens, and with which key: its endpoints as others write them.
    typealias Place = [String]

    let directory: TemporaryDirectory
    private var roles: [String: RunningProgram] = [:]
    private var starts = 0
    private(set) var places: [String: Place] = [:]

    init() async throws {
        directory = try TemporaryDirectory()
        try Data().write(to: listFile)
        for name in ["n1", "n2"] { try await make(name, called: name, roles: "node") }
        try await make("app", called: "app", roles: "read,write,invalidate,metrics")
        try await make("publisher", called: "publisher")
    }

    private var listFile: URL { directory.file("allow-list") }

    func key(_ file: String) -> String { directory.file("\(file).key").path }

    /// Makes a key, and a line of the list for it if it has roles.
    func make(_ file: String, called name: String, roles: String? = nil) async throws {
        var arguments = ["keygen", name, "--out", key(file)]
        if let roles { arguments += ["--roles", roles, "--list", listFile.path] }
        let made = try await Program.run(arguments)
        #expect(made.code == 0, "\(made)")
    }

    /// Takes the first line of that name from the list.
    func removeFirstLine(of name: String) throws {
        var lines = try String(contentsOf: listFile, encoding: .utf8).split(separator: "\n")
        lines.remove(at: try #require(lines.firstIndex { $0.hasPrefix("\(name) ") }))
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: listFile, options: .atomic)
    }

    // MARK: Starting

    /// Starts the publisher, or starts it again: where it chooses, or at `place`.
    func publish(
        key file: String, at place: Place? = nil, second: (key: String, place: Place)? = nil
    ) async throws {
        let place = place?.map(Self.bare) ?? ["tcp://127.0.0.1:*", "tcp://127.0.0.1:*"]
        try await start(
            "publisher",
            [
                "publisher", "--nodes", "2", "--shards", "2", "--topology", "replicated",
                "--log", directory.file("log").path, "--log-level", "debug",
                "--bind", place[0], "--live", place[1],
            ] + keys(file, second))
        try await eventually("the publisher listens") {
            let words = self.words(of: "publisher", in: "publisher listens")
            self.places["publisher"] = words.compactMap { word in
                word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) }
            }.filter { $0.hasPrefix("tcp:") }
            return self.places["publisher"]?.count == 2
        }
    }

    /// Starts a node, or starts it again.
    func join(
        _ node: String, key file: String, publisher: Place, at place: Place? = nil,
        second: (key: String, place: Place)? = nil
    ) async throws {
        let place = place?.map(Self.bare) ?? ["tcp://127.0.0.1:*", "tcp://127.0.0.1:*"]
        try await start(
            node,
            [
                "node", "--id", node, "--publisher", publisher[0], "--live", publisher[1],
                "--bind", place[0], "--bind", place[1],
            ] + keys(file, second))
        try await eventually("\(node) listens") {
            let words = self.words(of: node, in: "node \(node) listens on")
            self.places[node] = words.filter { $0.hasPrefix("tcp:") }.map {
                $0.trimmingCharacters(in: [","])
            }
            return self.places[node]?.count == 2
        }
    }

    private func keys(
        _ file: String, _ second: (key: String, place: Place)?
    ) -> [String] {
        var arguments = ["--key", key(file), "--allow-list", listFile.path]
        if let second {
            arguments += ["--second-key", key(second.key)]
            arguments += ["--second-endpoint", second.place.joined(separator: ",")]
        }
        return arguments
    }

    private func start(_ role: String, _ arguments: [String]) async throws {
        if let running = roles[role] {
            running.signal(SIGTERM)
            _ = try await running.ended()
        }
        starts += 1
        roles[role] = try RunningProgram(
            arguments, name: "\(role)-\(starts)", in: directory.url)
    }

    /// What a role has logged in its last run.
    func log(of role: String) -> String { roles[role]?.errors ?? "" }

    /// How often a role has taken over another list in its last run.
    func listChanges(seenBy role: String) -> Int {
        log(of: role).components(separatedBy: "the list of keys has changed").count - 1
    }

    private func words(of role: String, in sentence: String) -> [String] {
        let line = log(of: role).split(separator: "\n").first { $0.contains(sentence) }
        return line.map { $0.split(separator: " ").map(String.init) } ?? []
    }

    private static func bare(_ endpoint: String) -> String {
        String(endpoint.prefix { $0 != "?" })
    }

    // MARK: Using

    func client(
        _ file: String, at endpoint: String?, patience: Duration = .seconds(20)
    ) throws -> CacheClient {
        var configuration = CacheClientConfiguration(endpoints: [try #require(endpoint)])
        configuration.timeout = patience
        configuration.keys = try ClientKeys(file: URL(fileURLWithPath: key(file)))
        return try CacheClient(configuration)
    }

    /// Waits until both nodes vouch for what they have.
    func untilLive(_ client: CacheClient) async throws {
        for name in ["n1", "n2"] {
            let node = try #require(NodeID(name))
            try await eventually("\(name) is live: \(log(of: name).suffix(2_000))") {
                let topology = try await client.cluster.topology(isRefreshed: true)
                guard topology.nodes.contains(where: { $0.id == node }) else { return false }
                let shards = try await client.cluster.status(of: node, timeout: .seconds(2))
                return shards.allSatisfy { $0.state == .live }
            }
        }
    }

    func end() {
        for role in roles.values { role.kill() }
        directory.remove()
    }
}
