import CacheModel
import Testing

@Suite struct InstantTests {
    private let end = Instant(nanoseconds: .max)

    @Test func aMomentMovesByWholeNanoseconds() {
        let start = Instant(nanoseconds: 10)
        for nanoseconds in 0..<100 as Range<Int64> {
            let later = start.advanced(by: .nanoseconds(nanoseconds))
            #expect(later.nanoseconds == 10 + UInt64(nanoseconds))
            #expect(later.elapsed(since: start) == .nanoseconds(nanoseconds))
        }
    }

    @Test func theEndOfTimeIsNotPassed() {
        #expect(Instant(nanoseconds: .max - 1).advanced(by: .nanoseconds(1)) == end)
        #expect(Instant(nanoseconds: .max - 1).advanced(by: .nanoseconds(2)) == end)
        #expect(end.advanced(by: .nanoseconds(1)) == end)
        #expect(Instant(nanoseconds: 0).advanced(by: .seconds(Int64.max)) == end)
    }

    @Test func aNegativeDurationMovesNothing() {
        let start = Instant(nanoseconds: 10)
        for duration in [.nanoseconds(-1), .seconds(-1), .milliseconds(-1_500)] as [Duration] {
            #expect(start.advanced(by: duration) == start)
        }
        #expect(start.advanced(by: .seconds(Int64.min)) == start)
    }

    @Test func whatWasReadTheOtherWayRoundHasNotElapsed() {
        #expect(Instant(nanoseconds: 1).elapsed(since: Instant(nanoseconds: 2)) == .zero)
        #expect(Instant(nanoseconds: 2).elapsed(since: Instant(nanoseconds: 2)) == .zero)
        #expect(Instant(nanoseconds: 0).elapsed(since: end) == .zero)
    }

    @Test func aVeryLongTimeIsClampedToWhatFits() {
        let elapsed = end.elapsed(since: Instant(nanoseconds: 0))
        #expect(elapsed == .nanoseconds(Int64.max))
    }
}
