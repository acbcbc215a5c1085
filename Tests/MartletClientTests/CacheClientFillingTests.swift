import CacheModel
import CacheWire
import MartletClient
import Testing

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
                Sample.key("a"), with: [1], in: .default, by: right, options: StoreOptions())
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
                    Sample.key("a"), with: [1], in: .default, by: right, options: StoreOptions())
            }
            #expect(failed?.refusal == .leaseVoid)
        }
    }

    @Test func theRightOfANodeThatIsGoneIsWorthNothing() async throws {
        let cluster = try ScriptedCluster()
        try await cluster.withClient { client in
            let right = try #require(try await right(client))
            let gone = CacheClient.FillRight(right.token, of: try #require(NodeID("gone")))
            let failed = await failure { () async throws(CacheError) in
                try await client.fill(
                    Sample.key("a"), with: [1], in: .default, by: gone, options: StoreOptions())
            }
            #expect(failed?.refusal == .tokenTooOld)
        }
    }
}
