import Foundation
import MartletClient
import Testing
import TestSupport

/// The keys and the list of a cluster that asks who connects, and commands with one of the keys.
struct SecureDoor {
    let endpoint: String
    private let directory: URL

    init(_ cluster: Cluster) throws {
        endpoint = try #require(cluster.ready.publisher.endpoint)
        directory = cluster.directory.url
    }

    var listFile: URL { directory.appendingPathComponent("allow-list") }

    /// The endpoint without its key.
    var place: String { String(endpoint.prefix { $0 != "?" }) }

    func key(_ name: String) -> String {
        directory.appendingPathComponent("keys/\(name).key").path
    }

    func list() throws -> String { try String(contentsOf: listFile, encoding: .utf8) }

    func write(_ text: String) throws {
        try Data(text.utf8).write(to: listFile, options: .atomic)
    }

    func remove(_ name: String) throws {
        let lines = try list().split(separator: "\n").filter { !$0.hasPrefix("\(name) ") }
        try write(lines.joined(separator: "\n") + "\n")
    }

    /// Makes a key that no list has.
    func make(_ name: String) async throws {
        let made = try await Program.run(["keygen", name, "--out", key(name)])
        #expect(made.code == 0, "\(made)")
    }

    func add(_ name: String, roles: String, patterns: String) async throws {
        let made = try await Program.run([
            "keygen", name, "--out", key(name), "--roles", roles, "--patterns", patterns,
            "--list", listFile.path,
        ])
        #expect(made.code == 0, "\(made)")
    }

    /// Waits until every process has read that this key is in the list.
    func waitUntilKnown(_ name: String) async throws {
        try await eventually("\(name) is let in") {
            try await run(name, "get", "img:0", "--timeout", "500ms").code == 1
        }
    }

    func run(
        _ name: String, _ arguments: String..., at other: String? = nil
    ) async throws -> Program.Ending {
        try await Program.run(
            arguments + ["--cluster", other ?? endpoint, "--key", key(name)])
    }

    func client(_ name: String, timeout: Duration = .seconds(10)) throws -> CacheClient {
        var configuration = CacheClientConfiguration(endpoints: [endpoint])
        configuration.timeout = timeout
        configuration.keys = try ClientKeys(file: URL(fileURLWithPath: key(name)))
        return try CacheClient(configuration)
    }
}

extension ClientKeys {
    /// Reads what `martlet keygen` wrote.
    init(file: URL) throws {
        self = try #require(ClientKeys(text: String(contentsOf: file, encoding: .utf8)))
    }
}
