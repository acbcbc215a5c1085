import CacheInvalidation
import CacheModel
import Testing

@Suite struct StampedLeaseTests {
    private func at(_ seconds: UInt64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    /// What the stamp tells after the lease had its chance to shrink.
    private func told(_ lease: inout StampedLease, at seconds: UInt64) -> UInt32 {
        let before = lease.milliseconds
        let hasShrunk = lease.shrink(at: at(seconds))
        #expect(hasShrunk == (lease.milliseconds < before))
        return lease.milliseconds
    }

    @Test func anInheritedLeaseIsDroppedOnceItHasExpired() {
        var lease = StampedLease(3_000, inherited: 60_000, now: at(100))
        #expect(told(&lease, at: 160) == 60_000)
        // A hundredth is added for clocks that drift.
        #expect(told(&lease, at: 161) == 3_000)
        #expect(told(&lease, at: 1_000) == 3_000 && lease.shrinksAt == nil)
    }

    @Test func aShorterInheritedLeaseIsNone() {
        let lease = StampedLease(3_000, inherited: 1_000, now: at(1))
        #expect(lease.milliseconds == 3_000 && lease.shrinksAt == nil)
    }

    @Test func aLongerLeaseIsToldAtOnceAndAShorterOneLater() {
        var lease = StampedLease(3_000, inherited: 0, now: at(1))
        let isLonger = lease.grants(60_000, now: at(2))
        #expect(isLonger && lease.milliseconds == 60_000)
        for (granted, second) in [(UInt32(5_000), UInt64(10)), (4_000, 20)] {
            let isLonger = lease.grants(granted, now: at(second))
            #expect(!isLonger && lease.milliseconds == 60_000)
        }
        #expect(told(&lease, at: 71) == 60_000)
        #expect(told(&lease, at: 81) == 4_000)
        _ = lease.grants(9_000, now: at(90))
        _ = lease.grants(1_000, now: at(91))
        _ = lease.grants(9_000, now: at(92))
        #expect(told(&lease, at: 200) == 9_000)
    }
}
