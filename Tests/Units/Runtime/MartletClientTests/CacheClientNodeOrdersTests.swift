import CacheModel
import MartletClient
import Testing

@Suite struct CacheClientNodeOrdersTests {
    @Test func aNodeThatTheClusterLacksIsNamedWithThoseItHas() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            let stranger = Sample.node("n9")
            let drained = await #expect(throws: CacheError.self) {
                try await client.cluster.drain(stranger)
            }
            let forgotten = await #expect(throws: CacheError.self) {
                try await client.cluster.forget(stranger)
            }
            for error in [drained, forgotten] {
                #expect(error?.code == .invalidArgument)
                #expect(error?.message.contains("n0, n1") == true)
            }
        }
    }

    @Test func whatTheOtherSideDeclinesIsRefused() async throws {
        let cluster = try ScriptedCluster(nodes: 2)
        try await cluster.withClient { client in
            let node = Sample.node("n1")
            let drained = await #expect(throws: CacheError.self) {
                try await client.cluster.drain(node)
            }
            let forgotten = await #expect(throws: CacheError.self) {
                try await client.cluster.forget(node)
            }
            for error in [drained, forgotten] {
                #expect(error?.code == .refused && error?.mayHaveHappened == false)
            }
        }
    }
}
