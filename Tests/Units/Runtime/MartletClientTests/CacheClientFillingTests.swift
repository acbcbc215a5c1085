import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

/// Loading in two steps.
@Suite struct CacheClientFillingTests {
    private func right(_ client: CacheClient) async throws -> CacheClient.FillRight? {
        let found = await client.find([Sample.key("a")], in: .default, options: ReadOptions())
        guard case .right(let right) = try found[0].get() else { return nil }
        return right
    }

    @Test func aMissGivesOneTheRightAndTheOthersWait() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let right = try #require(try await right(client))
            let other = await client.find([Sample.key("a")], in: .default, options: ReadOptions())
            guard case .wait = try other[0].get() else {
                Issue.record("another loads it")
                return
            }
            let stored = try await client.fill(
                StoreItem(Sample.key("a"), [1]), in: .default, by: right)
            #expect(stored.isFenced)
            guard
                case .found(let value) = try await client.find(
                    [Sample.key("a")], in: .default, options: ReadOptions())[0].get()
            else {
                Issue.record("it was stored")
                return
            }
            #expect(value.bytes == [1])
        }
    }

    @Test func whatWasInvalidatedMeanwhileIsRefused() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let right = try #require(try await right(client))
            _ = try await client.invalidate([Scope(.key(Sample.key("a"), in: .default))])
            let failed = await failure { () async throws(CacheError) in
                try await client.fill(
                    StoreItem(Sample.key("a"), [1]), in: .default, by: right)
            }
            #expect(failed?.refusal == .leaseVoid)
        }
    }

    /// In one message they would be ordered together, and a store that is ordered voids the lease.
    @Test func aFillSharesNoMessageWithASet() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let right = try #require(try await right(client))
            // Tasks of the client's own thread leave their requests in one turn.
            let stores = Task(executorPreference: client.executor) {
                await withTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        await failure { () async throws(CacheError) in
                            try await client.fill(
                                StoreItem(Sample.key("a"), [1]), in: .default, by: right)
                        } == nil
                    }
                    group.addTask {
                        await failure { () async throws(CacheError) in
                            try await client.set(Sample.key("b"), to: [2])
                        } == nil
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(await stores.value == [true, true])
            let counts = cluster.shards[0].script.withLock { script in
                script.seen.filter { $0.type == .set }.map(\.count)
            }
            #expect(counts == [1, 1])
        }
    }

    @Test func aRightForAKeyThatMovedIsRefusedAtOnce() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            let right = try #require(try await right(client))
            // As if the other node had owned the key when it gave the right.
            let former = try #require(cluster.shards.first { $0.name != right.node.name })
            let moved = CacheClient.FillRight(right.token, of: Sample.node(former.name))
            former.script.withLock { $0.busyCount = .max }
            var options = StoreOptions()
            options.timeout = .milliseconds(500)
            for length in [1, 700_000] {
                let failed = await failure { [options] () async throws(CacheError) in
                    try await client.fill(
                        StoreItem(Sample.key("a"), Sample.pattern(length), options: options),
                        in: .default, by: moved)
                }
                #expect(failed?.refusal == .tokenTooOld)
            }
            #expect(former.script.withLock { $0.count(.set) + $0.count(.chunk) } == 0)
        }
    }

    @Test func theRightOfANodeThatIsGoneIsWorthNothing() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let right = try #require(try await right(client))
            let gone = CacheClient.FillRight(right.token, of: try #require(NodeID("gone")))
            let failed = await failure { () async throws(CacheError) in
                try await client.fill(
                    StoreItem(Sample.key("a"), [1]), in: .default, by: gone)
            }
            #expect(failed?.refusal == .tokenTooOld)
        }
    }
}
