import CacheModel
import MartletClient
import Testing

extension EndToEndTests {
    /// Why a key is served or not, asked of real nodes.
    @Suite(.serialized) struct ExplainTests {
        @Test func everyNodeTellsWhyItWouldShowAKeyOrNot() async throws {
            try await withCluster { cluster in
                let view = cluster.view
                let entry = try #require(SampleEntry.many(1).first)
                let key = CacheKey.named(entry.key)
                let owner = try #require(try await view.client.cluster.owner(of: key))
                _ = await view.client.load(key) { _ in entry.loaded }
                for node in view.nodes {
                    let found = try await view.client.cluster.explain(key, on: node)
                    #expect(found.verdict == (node == owner ? .fresh : .absent), "\(node)")
                    #expect(found.state == .live && found.leaseLeft != nil)
                }
                let receipt = try await view.client.invalidate(
                    [Scope(.key(key, in: .default))], wait: .all, strength: .soft)
                let found = try await view.client.cluster.explain(key, on: owner)
                #expect(found.verdict == .soft && found.applied >= receipt.position)
                #expect(found.floors.contains { $0.cover == .key && $0.hard == receipt.position })
                await #expect(throws: CacheError.self) {
                    try await view.client.cluster.explain(key, on: try #require(NodeID("n9")))
                }
            }
        }
    }
}
