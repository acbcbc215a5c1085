import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// What a node that answers nonsense can do to who asks it.
@Suite(.timeLimit(.minutes(1))) struct HostileNodeTests {
    private static let prefix = Scope(.prefix(Array("k".utf8), in: .default))

    @Test func countsOfANodeThatSaysTheMostThereIsAreClamped() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        for shard in cluster.shards {
            shard.script.withLock {
                $0.counted = CountReply(entryCount: .max, entryBytes: .max, isAtMost: false)
                $0.page = ScanPage(nextCursor: 0, entryCount: .max, entryBytes: .max)
            }
        }
        try await cluster.withClient { client in
            let counts = try await client.cluster.count([
                Scope(.everything), Self.prefix, Self.prefix,
            ])
            #expect(counts.map(\.entryCount) == [.max, .max])
            #expect(counts.map(\.entryBytes) == [.max, .max])
        }
    }

    @Test func aScanEndsWhereAPageDoesNotLeadOn() async throws {
        let cluster = try ScriptedCluster()
        cluster.shards[0].script.withLock {
            $0.page = ScanPage(nextCursor: 7, entryCount: 1, entryBytes: 1)
        }
        try await cluster.withClient { client in
            let counting = await failure { () async throws(CacheError) in
                _ = try await client.cluster.count([Self.prefix])
            }
            #expect(counting?.code == .protocolViolation)
            let scanning = await failure { () async throws(CacheError) in
                for try await _ in client.cluster.scan(.namespace(.default)) {}
            }
            #expect(scanning?.code == .protocolViolation)
            #expect(scanning?.message.contains("node n0") == true)
        }
        // The first page leads from 0 to 7, the second from 7 to 7.
        #expect(cluster.shards[0].script.withLock { $0.count(.scan) } == 4)
    }

    /// A cluster of two, a key of each node, and a first node that names a place where the log will
    /// never be.
    private func lying(
        _ body: (CacheClient, ScriptedCluster, _ keys: [CacheKey]) async throws -> Void
    ) async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            let all = (0..<32).map { Sample.key("k\($0)") }
            for key in all { _ = try await client.set(key, to: [1]) }
            let keys = cluster.shards.compactMap { shard in
                all.first { key in shard.store.withLock { $0.has(key.bytes, "default") } }
            }
            try #require(keys.count == 2)
            for shard in cluster.shards { shard.script.withLock { $0.isHonestlyBehind = true } }
            cluster.shards[0].script.withLock {
                $0.claim = LogPosition(
                    epoch: Epoch(.max), sequence: SequenceNumber(1 << 48 - 1))
            }
            try await body(client, cluster, keys)
        }
    }

    /// Reads until it is answered, or has failed so often that it never will be.
    private func isAnswered(_ client: CacheClient, _ key: CacheKey) async -> Bool {
        var options = ReadOptions()
        options.timeout = .milliseconds(400)
        for _ in 0..<8 {
            let error = await failure { () async throws(CacheError) in
                _ = try await client.get(key, options: options)
            }
            guard let error else { return true }
            guard [.behind, .timedOut].contains(error.code) else { return false }
        }
        return false
    }

    @Test func aFalsePositionFromANodeDelaysReadsOnlyBriefly() async throws {
        try await lying { client, cluster, keys in
            try await client.delete([keys[0]])
            #expect(await isAnswered(client, keys[1]))
            #expect(cluster.publisher.script.withLock { $0.count(.follow) } >= 1)
            #expect(client.position == cluster.head)
            // The node goes on so, and is not believed again.
            try await client.delete([keys[0]])
            _ = try await client.get(keys[1])
        }
    }

    @Test func aPositionStandsWhereThePublisherCannotBeAsked() async throws {
        try await lying { client, cluster, keys in
            try await client.delete([keys[0]])
            cluster.publisher.script.withLock { $0.refusesToFollow = true }
            #expect(await !isAnswered(client, keys[1]))
            #expect(client.position > cluster.head)
            cluster.publisher.script.withLock { $0.refusesToFollow = false }
            #expect(await isAnswered(client, keys[1]))
        }
    }
}
