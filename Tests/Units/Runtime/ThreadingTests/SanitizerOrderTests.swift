import Synchronization
import Testing
import Threading

@Suite struct SanitizerOrderTests {
    /// Memory that two threads use in turn, without a lock.
    private final class Slate: @unchecked Sendable {
        // Sendable because the writer is done before the reader begins.
        var words: [String] = []
    }

    /// Only under the sanitizer can this fail. It does not see the order that a continuation gives
    /// when it is resumed before its task waits, so this one always is.
    @Test func anAnnotatedMemoryHandoverIsNoDataRace() async throws {
        let slate = Slate()
        let hasResumed = Flag()
        try await withCheckedThrowingContinuation { (task: CheckedContinuation<Void, any Error>) in
            do {
                _ = try OwnedThread(name: "writer") {
                    slate.words.append("written")
                    SanitizerOrder.release(slate)
                    task.resume()
                    hasResumed.raise()
                }
            } catch {
                task.resume(throwing: error)
                return
            }
            while !hasResumed.isRaised {}
        }
        SanitizerOrder.acquire(slate)
        #expect(slate.words == ["written"])
    }

    /// Tells that something has happened, and nothing of what happened before.
    private final class Flag: Sendable {
        private let flag = Atomic(false)

        var isRaised: Bool { flag.load(ordering: .relaxed) }

        func raise() { flag.store(true, ordering: .relaxed) }
    }
}
