import CacheModel
import Testing

@testable import PublisherCore
@testable import PublisherServer

/// What is said of keys that wait for nodes.
@Suite struct MembersWatchTests {
    private let hold = MembersHold(nodes: [], end: nil)

    private func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: UInt64((100 + seconds) * 1_000_000_000))
    }

    @Test func whatIsOverSoonIsNotSaid() {
        var watch = MembersWatch()
        #expect(watch.look(at: hold, now: at(0)) == nil)
        #expect(watch.look(at: hold, now: at(1.9)) == nil)
        #expect(watch.look(at: nil, now: at(1.95)) == nil)
        #expect(watch.look(at: hold, now: at(3)) == nil, "it begins anew")
    }

    @Test func whatTakesLongIsSaidOnceAndSoIsItsEnd() {
        var watch = MembersWatch()
        #expect(watch.look(at: hold, now: at(0)) == nil)
        #expect(watch.look(at: hold, now: at(2)) == .waits(hold))
        #expect(watch.look(at: hold, now: at(9)) == nil)
        #expect(watch.look(at: nil, now: at(10)) == .isOver)
        #expect(watch.look(at: nil, now: at(11)) == nil)
    }
}
