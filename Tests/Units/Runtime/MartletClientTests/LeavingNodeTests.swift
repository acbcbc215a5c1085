import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// A place that the topology names no more, because its node has moved.
@Suite(.timeLimit(.minutes(1))) struct LeavingNodeTests {
    /// Its connection is closed in the middle of a turn, and others stand behind it.
    @Test func droppingTheConnectionOfANodeDoesNotDisturbOtherReads() async throws {
        let cluster = try ScriptedCluster(nodes: 3)
        try await cluster.withClient { client in
            let all = (0..<64).map { Sample.key("k\($0)") }
            for key in all { _ = try await client.set(key, to: [1]) }
            let kept = all.filter { key in
                cluster.shards.dropFirst().contains { shard in
                    shard.store.withLock { $0.has(key.bytes, "default") }
                }
            }
            try #require(kept.count > 1 && kept.count < all.count)
            let elsewhere = try ScriptedCluster.deadEndpoint()
            let askedBefore = cluster.publisher.script.withLock { $0.count(.topology) }
            cluster.state.withLock {
                $0.endpoints[0] = elsewhere
                $0.version = 2
            }
            var rounds = 0
            while cluster.publisher.script.withLock({ $0.count(.topology) }) == askedBefore,
                rounds < 100_000
            {
                for key in kept { #expect(try await client.get(key)?.bytes == [1]) }
                rounds += 1
            }
            #expect(rounds < 100_000, "it asks for the new topology")
            for key in kept { #expect(try await client.get(key)?.bytes == [1]) }
        }
    }
}
