import Foundation
import Testing

@testable import martlet

@Suite struct RememberedNodesTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("martlet-test-\(UInt64.random(in: 0...UInt64.max))")

    private func nodes(of endpoints: [String]) -> RememberedNodes {
        RememberedNodes(of: endpoints, environment: ["XDG_CACHE_HOME": directory.path])
    }

    private let shards = ["tcp://127.0.0.1:7402", "", "tcp://127.0.0.1:7403"]

    @Test func whatWasKeptIsFoundUnderTheSameNamesOnly() {
        defer { try? FileManager.default.removeItem(at: directory) }
        nodes(of: ["tcp://127.0.0.1:7400"]).write(shards)
        #expect(
            nodes(of: ["tcp://127.0.0.1:7400"]).read()
                == ["tcp://127.0.0.1:7402", "tcp://127.0.0.1:7403"])
        #expect(nodes(of: ["tcp://127.0.0.1:7500"]).read().isEmpty)
    }

    @Test func withoutAHomeNothingIsKeptAndNothingFails() {
        let homeless = RememberedNodes(of: ["tcp://127.0.0.1:7400"], environment: [:])
        homeless.write(shards)
        #expect(homeless.read().isEmpty)
    }

    @Test func aDirectoryThatCannotBeMadeIsNoError() {
        let nowhere = RememberedNodes(
            of: ["a"], environment: ["XDG_CACHE_HOME": "/proc/martlet-cannot-be"])
        nowhere.write(shards)
        #expect(nowhere.read().isEmpty)
    }
}
