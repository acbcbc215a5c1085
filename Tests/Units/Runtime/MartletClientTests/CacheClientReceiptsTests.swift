import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

@Suite struct CacheClientReceiptsTests {
    @Test func aReceiptIsAskedForAgainAndTellsTheIssuer() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            let ordered = try await client.invalidate([Scope(.everything)], wait: .none)
            #expect(ordered.issuer == nil, "who asks knows")
            let receipt = try await client.receipt(
                of: ordered.position, wait: .quorum, timeout: .milliseconds(700))
            #expect(receipt.position == ordered.position && receipt.wait == .quorum)
            #expect(!receipt.isComplete && receipt.pending == ["n0", "n1"].map(Sample.node))
            #expect(receipt.nearCacheDelay == .milliseconds(700), "the time it may wait")
            #expect(receipt.issuer == client.configuration.issuer)
            #expect(receipt.issuer?.name.contains("/") == false, "the program, not its path")
        }
        #expect(cluster.publisher.script.withLock { $0.count(.awaitReceipt) } == 1)
    }

    @Test func beyondTheLogIsRefused() async throws {
        let cluster = try ScriptedCluster(nodes: 1)
        try await cluster.withClient { client in
            let position = try #require(LogPosition("9:9"))
            let error = await #expect(throws: CacheError.self) {
                try await client.receipt(of: position, wait: .none)
            }
            #expect(error?.code == .refused && error?.mayHaveHappened == false)
        }
    }
}
