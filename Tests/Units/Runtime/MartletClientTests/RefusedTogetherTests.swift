import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// A message that is refused as a whole for one of its keys is asked for key by key.
@Suite struct RefusedTogetherTests {
    private static let keys = (0..<10).map { Sample.key("k\($0)") }
    private static let forbidden = Sample.key("k7")

    private func withRefusals(
        _ forbidden: CacheKey..., body: (CacheClient, ScriptedServer) async throws -> Void
    ) async throws {
        let cluster = try ScriptedCluster()
        let shard = cluster.shards[0]
        try await cluster.withClient { client in
            for result in await client.set(Self.keys.map { StoreItem($0, $0.bytes) }) {
                _ = try result.get()
            }
            shard.script.withLock {
                $0.forbidden = Set(forbidden.map(\.bytes))
                $0.seen = []
            }
            try await body(client, shard)
        }
    }

    private func counts(_ shard: ScriptedServer, _ type: MessageType) -> [Int] {
        shard.script.withLock { $0.seen.filter { $0.type == type }.map(\.count) }
    }

    @Test func oneGetThatIsRefusedDoesNotFailItsNeighbours() async throws {
        try await withRefusals(Self.forbidden) { client, shard in
            var again = 0
            // Who shares a message with whom is a matter of moments.
            for _ in 0..<100 where again == 0 {
                shard.script.withLock { $0.seen = [] }
                check(try await ask(client))
                let asked = counts(shard, .get)
                again = asked.reduce(0, +) - Self.keys.count
                // The keys of the one message that was refused, each by itself, and no other.
                #expect(again == 0 || asked.contains(again), "\(asked)")
                #expect(asked.filter { $0 == 1 }.count >= again, "\(asked)")
                #expect(asked.reduce(0, +) <= 20, "no key is asked for a third time: \(asked)")
            }
            #expect(again > 1, "nothing was asked for together with it")
        }
    }

    private func check(_ values: [String]) {
        for (key, value) in zip(Self.keys, values) {
            if key == Self.forbidden {
                #expect(value == "unauthorised: your key may not: it takes another role")
            } else {
                #expect(value == String(decoding: key.bytes, as: UTF8.self))
            }
        }
    }

    /// Each key by a call of its own, all at once, so that they share messages.
    private func ask(_ client: CacheClient) async throws -> [String] {
        await withTaskGroup(of: (Int, String).self) { group in
            for (index, key) in Self.keys.enumerated() {
                group.addTask { (index, await Self.words(client, key)) }
            }
            var words = [String](repeating: "", count: Self.keys.count)
            for await (index, word) in group { words[index] = word }
            return words
        }
    }

    private static func words(_ client: CacheClient, _ key: CacheKey) async -> String {
        do throws(CacheError) {
            let value = try await client.get(key)
            return value.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "nil"
        } catch {
            return "\(error.code): \(error.message)"
        }
    }

    @Test func oneStoreThatIsRefusedDoesNotFailItsNeighbours() async throws {
        try await withRefusals(Self.forbidden) { client, shard in
            let results = await client.set(Self.keys.map { StoreItem($0, [1]) })
            for (key, result) in zip(Self.keys, results) {
                switch result {
                case .success: #expect(key != Self.forbidden)
                case .failure(let error):
                    #expect(key == Self.forbidden)
                    #expect(error.code == .unauthorised && !error.mayHaveHappened)
                }
            }
            #expect(counts(shard, .set) == [10] + [Int](repeating: 1, count: 10))
            shard.script.withLock { $0.forbidden = [] }
            let kept = try await client.get(Self.forbidden)
            let stored = try await client.get(Self.keys[0])
            #expect(kept?.bytes == Self.forbidden.bytes && stored?.bytes == [1])
        }
    }

    @Test func aSingleRefusedGetIsNotRetried() async throws {
        try await withRefusals(Self.forbidden) { client, shard in
            let error = await failure { () throws(CacheError) in
                try await client.get(Self.forbidden)
            }
            #expect(error?.code == .unauthorised && error?.mayHaveHappened == false)
            #expect(counts(shard, .get) == [1])
        }
    }

    @Test func whereAllAreRefusedEachIsAskedOnceMoreAndNoMore() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock { $0.forbidden = Set(Self.keys.map(\.bytes)) }
        try await cluster.withClient { client in
            for result in await client.set(Self.keys.map { StoreItem($0, [1]) }) {
                #expect(throws: CacheError.self) { try result.get() }
            }
        }
        #expect(counts(cluster.shards[0], .set) == [10] + [Int](repeating: 1, count: 10))
        #expect(cluster.shards[0].store.withLock { $0.keys.isEmpty })
    }
}
