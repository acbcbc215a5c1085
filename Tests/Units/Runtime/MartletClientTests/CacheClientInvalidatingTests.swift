import CacheModel
import CacheWire
import MartletClient
import Testing
import Threading

@Suite struct CacheClientInvalidatingTests {
    /// What an invalidation fails with at a publisher that is silent so often, and then says to
    /// come again when the client's time is over.
    ///
    /// That ends it whenever the answer comes; the time is only what a busy machine may need.
    private func failure(afterSilence count: Int) async throws -> CacheError? {
        let cluster = try ScriptedCluster()
        cluster.publisher.script.withLock {
            $0.unansweredCount = count
            $0.busyMessageCount = .max
            $0.busyMilliseconds = 60_000
        }
        var error: CacheError?
        try await cluster.withClient { client in
            error = await #expect(throws: CacheError.self) {
                try await client.invalidate(
                    [Scope(.everything)], wait: .none, timeout: .seconds(30))
            }
        }
        #expect(cluster.publisher.script.withLock { $0.count(.invalidate) } > count)
        return error
    }

    @Test func whatWasRefusedAtOnceHasNotHappened() async throws {
        let error = try await failure(afterSilence: 0)
        #expect(error?.code == .busy && error?.mayHaveHappened == false)
    }

    /// The record may be in the log, whatever the next attempt was told.
    @Test func anUnansweredInvalidationMayHaveHappenedDespiteALaterRefusal() async throws {
        let error = try await failure(afterSilence: 1)
        #expect(error?.code == .busy && error?.mayHaveHappened == true)
        #expect(error?.message.contains("not answered, and may have been done") == true)
    }
}
