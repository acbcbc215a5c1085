import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

@Suite struct CacheClientInvalidatingTests {
    /// What an invalidation fails with at a publisher that is too busy, and before that silent.
    private func failure(afterSilence count: Int) async throws -> CacheError? {
        let cluster = try ScriptedCluster()
        cluster.publisher.script.withLock {
            $0.unansweredCount = count
            $0.busyMessageCount = .max
        }
        var error: CacheError?
        try await cluster.withClient { client in
            error = await #expect(throws: CacheError.self) {
                try await client.invalidate(
                    [Scope(.everything)], wait: .none, timeout: .seconds(2))
            }
        }
        #expect(cluster.publisher.script.withLock { $0.count(.invalidate) } > 1)
        return error
    }

    @Test func whatWasRefusedEachTimeHasNotHappened() async throws {
        let error = try await failure(afterSilence: 0)
        #expect(error?.code == .busy && error?.mayHaveHappened == false)
    }

    /// The record may be in the log, whatever the next attempt was told.
    @Test func whatWasNotAnsweredOnceMayHaveHappenedThoughItIsRefusedLater() async throws {
        let error = try await failure(afterSilence: 1)
        #expect(error?.code == .busy && error?.mayHaveHappened == true)
        #expect(error?.message.contains("not answered, and may have been done") == true)
    }
}
