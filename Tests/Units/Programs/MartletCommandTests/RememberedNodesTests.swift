import CacheModel
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

    private let cluster = ClusterID(0xC0FFEE)

    @Test func whatWasKeptIsFoundUnderTheSameNamesOnly() {
        defer { try? FileManager.default.removeItem(at: directory) }
        nodes(of: ["tcp://127.0.0.1:7400"]).write(shards, of: cluster)
        #expect(
            nodes(of: ["tcp://127.0.0.1:7400"]).read()
                == .init(
                    cluster: cluster,
                    endpoints: ["tcp://127.0.0.1:7402", "tcp://127.0.0.1:7403"]))
        #expect(nodes(of: ["tcp://127.0.0.1:7500"]).read() == .init())
    }

    @Test func nodesOfAClusterWithoutAnIdentityAreKept() {
        defer { try? FileManager.default.removeItem(at: directory) }
        nodes(of: ["a"]).write(shards, of: .none)
        #expect(nodes(of: ["a"]).read().cluster == .none)
        #expect(nodes(of: ["a"]).read().endpoints.count == 2)
    }

    @Test func anotherIdentityAtTheSameEndpointsIsWritten() {
        defer { try? FileManager.default.removeItem(at: directory) }
        nodes(of: ["a"]).write(shards, of: cluster)
        nodes(of: ["a"]).write(shards, of: ClusterID(1))
        #expect(nodes(of: ["a"]).read().cluster == ClusterID(1))
    }

    /// The release before would take a line with an identity for an endpoint.
    @Test func theFileOfTheReleaseBeforeIsLeftAloneAndNotBelieved() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let folder = directory.appendingPathComponent("martlet")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let old = folder.appendingPathComponent("nodes-a")
        try Data("tcp://127.0.0.1:7402".utf8).write(to: old)
        #expect(nodes(of: ["a"]).read() == .init())
        nodes(of: ["a"]).write(shards, of: cluster)
        #expect(try Data(contentsOf: old) == Data("tcp://127.0.0.1:7402".utf8))
        let own = folder.appendingPathComponent("known-a")
        for text in ["", "tcp://127.0.0.1:7402", "xyz\ntcp://127.0.0.1:7402"] {
            try Data(text.utf8).write(to: own)
            #expect(nodes(of: ["a"]).read() == .init(), "\(text)")
        }
    }

    @Test func linesThatAreNoEndpointsArePassedOverAndTold() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let nodes = nodes(of: ["a"])
        nodes.write(shards, of: cluster)
        #expect(nodes.complaint(of: nodes.read()) == nil)
        let file = directory.appendingPathComponent("martlet/known-a")
        let text = try String(contentsOf: file, encoding: .utf8)
        for garbage in ["garbage", "tcp://", "tcp://127.0.0.1:99999", "\u{0}\u{1}", " "] {
            try Data("\(text)\n\(garbage)\n".utf8).write(to: file)
            let kept = nodes.read()
            #expect(kept.endpoints == ["tcp://127.0.0.1:7402", "tcp://127.0.0.1:7403"])
            #expect(kept.damagedCount == 1, "\(garbage)")
            #expect(nodes.complaint(of: kept)?.contains(file.path) == true)
        }
        nodes.write(shards, of: cluster)
        #expect(nodes.read().damagedCount == 0)
    }

    @Test func withoutAHomeNothingIsKeptAndNothingFails() {
        let homeless = RememberedNodes(of: ["tcp://127.0.0.1:7400"], environment: [:])
        homeless.write(shards, of: cluster)
        #expect(homeless.read() == .init())
    }

    @Test func aDirectoryThatCannotBeMadeIsNoError() {
        let nowhere = RememberedNodes(
            of: ["a"], environment: ["XDG_CACHE_HOME": "/proc/martlet-cannot-be"])
        nowhere.write(shards, of: cluster)
        #expect(nowhere.read() == .init())
    }
}
