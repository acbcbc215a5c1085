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

extension EndToEndTests {
    /// Nodes of a replicated cluster that load for each other, as processes.
    @Suite(.serialized) struct PeerLoadingTests {
        private static let nodes = ["n1", "n2", "n3"].compactMap { NodeID($0) }

        /// A replicated cluster of three, whose origin says which node asked it.
        private func withReplicas(
            _ settings: [String] = [], _ body: (Cluster, OriginServer) async throws -> Void
        ) async throws {
            let origin = try OriginServer { request in
                .text("\(request.path) is 1", "ETag: \"e\"", "Surrogate-Key: rows")
            }
            defer { origin.close() }
            var plan = ClusterPlan(.replicated)
            plan.namespaces =
                ["  default:", "    ttl: 10m", "    origin:", "      url: \(origin.url)"]
                + settings.map { "      \($0)" }
            try await withCluster(plan) { try await body($0, origin) }
        }

        private static func get(
            _ key: String, at node: NodeID, _ client: CacheClient
        ) async throws -> CachedValue? {
            var options = ReadOptions()
            options.node = node
            options.wantsDetails = true
            options.timeout = .seconds(20)
            return try await client.get(.named(key), options: options)
        }

        /// How many keys of `count` each node has loaded from the origin by itself is what its
        /// readers see: a value whose tier is the origin came by a load, whoever made it.
        @Test func everyKeyIsLoadedOnceForAllNodes() async throws {
            try await withReplicas { cluster, origin in
                let client = cluster.client
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<60 {
                        for node in Self.nodes {
                            let rows = try #require(Tag("rows"))
                            group.addTask {
                                let value = try await Self.get("k\(number)", at: node, client)
                                #expect(value?.bytes == Array("k\(number) is 1".utf8))
                                #expect(value?.tags == [rows])
                                #expect(value?.isStale == false && value?.isOvertaken == false)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(origin.requests.count == 60, "one for each key")
                for node in Self.nodes {
                    let held = try await Self.get("k7", at: node, client)
                    #expect(held?.tier == .memory && held?.etag == Validator("\"e\""))
                }
                // An invalidation by a tag that only the origin has told reaches every copy.
                let receipt = try await client.invalidate(
                    [Scope(.tag(try #require(Tag("rows")), in: .default))], wait: .all)
                #expect(receipt.isComplete)
                for node in Self.nodes { _ = try await Self.get("k7", at: node, client) }
                #expect(origin.requestCount(of: "k7") == 2, "once more for all of them")
            }
        }

        @Test func aNodeThatIsKilledInMidLoadCostsOneRequestMore() async throws {
            try await withReplicas { cluster, origin in
                try await hurtOwner(of: "hot", cluster, origin) {
                    let process = try cluster.processID(of: $0)
                    #expect(kill(process, SIGKILL) == 0)
                }
            }
        }

        @Test func aNodeThatIsStoppedInMidLoadCostsOneRequestMore() async throws {
            try await withReplicas { cluster, origin in
                try await hurtOwner(of: "hot", cluster, origin) {
                    let process = try cluster.processID(of: $0)
                    #expect(kill(process, SIGSTOP) == 0)
                }
            }
        }

        /// Hurts whoever loads the key while everybody waits for it; readers of the others get it.
        private func hurtOwner(
            of key: String, _ cluster: Cluster, _ origin: OriginServer,
            _ hurt: (NodeID) throws -> Void
        ) async throws {
            let client = cluster.client
            let owner = try await owner(of: key, cluster, origin)
            origin.hold()
            let others = Self.nodes.filter { $0 != owner }
            let before = origin.requestCount(of: key)
            try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                for node in others {
                    for _ in 0..<200 {
                        group.addTask { try await Self.get(key, at: node, client)?.bytes }
                    }
                }
                try await eventually("the owner has asked") { origin.heldCount == 1 }
                try hurt(owner)
                try await eventually("another has asked") { origin.heldCount == 2 }
                origin.release()
                for try await bytes in group { #expect(bytes == Array("\(key) is 1".utf8)) }
            }
            #expect(origin.requestCount(of: key) - before == 2)
        }

        /// Who loads a key: the one that holds it after another has asked for it and forgotten it.
        private func owner(
            of key: String, _ cluster: Cluster, _ origin: OriginServer
        ) async throws -> NodeID {
            for node in Self.nodes {
                _ = try await cluster.client.invalidate(
                    [Scope(.key(.named(key), in: .default))], wait: .all)
                _ = try await Self.get(key, at: node, cluster.client)
                var only = ReadOptions()
                only.policy = .cacheOnly
                let holders = try await Self.holders(of: key, only, cluster.client)
                if holders == [node] {
                    _ = try await cluster.client.invalidate(
                        [Scope(.key(.named(key), in: .default))], wait: .all)
                    return node
                }
            }
            throw GaveUp("no node loads \(key) for itself")
        }

        private static func holders(
            of key: String, _ options: ReadOptions, _ client: CacheClient
        ) async throws -> [NodeID] {
            var holders: [NodeID] = []
            for node in nodes {
                var options = options
                options.node = node
                if try await client.get(.named(key), options: options) != nil {
                    holders.append(node)
                }
            }
            return holders
        }
    }
}
