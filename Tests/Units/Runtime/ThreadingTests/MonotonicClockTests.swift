import CacheModel
import Testing
import Threading

@Suite struct MonotonicClockTests {
    @Test func timeGoesOnAndNeverBack() {
        let start = MonotonicClock.now
        var last = start
        while last.elapsed(since: start) < .milliseconds(2) {
            let now = MonotonicClock.now
            guard now >= last else {
                Issue.record("\(now) came after \(last)")
                return
            }
            last = now
        }
    }

    @Test func itsUnitIsTheNanosecond() {
        let (ours, theirs) = (MonotonicClock.now, ContinuousClock.now)
        while ContinuousClock.now - theirs < .milliseconds(5) {}
        let elapsed = MonotonicClock.now.elapsed(since: ours)
        #expect(elapsed >= .milliseconds(5))
        // However slow the machine: a wrong unit is wrong by a thousand.
        #expect(elapsed < .seconds(5))
    }
}
