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
            let counts = try await client.count([Scope(.everything), Self.prefix, Self.prefix])
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
                _ = try await client.count([Self.prefix])
            }
            #expect(counting?.code == .protocolViolation)
            let scanning = await failure { () async throws(CacheError) in
                for try await _ in client.scan(.namespace(.default)) {}
            }
            #expect(scanning?.code == .protocolViolation)
            #expect(scanning?.message.contains("node n0") == true)
        }
        // The first page leads from 0 to 7, the second from 7 to 7.
        #expect(cluster.shards[0].script.withLock { $0.count(.scan) } == 4)
    }
}
