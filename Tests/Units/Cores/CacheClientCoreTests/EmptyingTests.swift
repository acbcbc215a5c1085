import CacheClientCore
import Testing

@Suite struct EmptyingTests {
    private static let burst = 100 * ClientLimits.itemsKept

    @Test func whatIsUsedAgainAndAgainKeepsItsMemory() {
        var queue = Array(0..<1_000)
        let before = queue.capacity
        queue.empty()
        #expect(queue.isEmpty && queue.capacity == before)
    }

    @Test func aBurstIsNotRememberedForEver() {
        var queue = Array(0..<Self.burst)
        queue.empty()
        #expect(queue.isEmpty && queue.capacity <= ClientLimits.itemsKept)
        var cancelled = Set(0..<Self.burst)
        cancelled.empty()
        #expect(cancelled.isEmpty && cancelled.capacity <= ClientLimits.itemsKept)
    }
}
