import CacheInvalidation
import CacheModel
import Testing

@Suite struct NodeLeaseTests {
    @Test func aLeaseRunsFromTheSendingOfThePing() {
        var lease = NodeLease()
        lease.applied(.at(9))
        lease.pinged(at: .milliseconds(100))
        lease.ponged(sentAt: .milliseconds(100), head: .at(9), lease: .seconds(3))
        #expect(lease.expiresAt == .milliseconds(3_100))
        #expect(lease.isHeld(at: .milliseconds(3_099)))
        #expect(!lease.isHeld(at: .milliseconds(3_100)))
    }

    @Test func aLeaseIsCompletedWhenAppliedReachesItsHead() {
        var lease = NodeLease()
        lease.applied(.at(7))
        lease.pinged(at: .milliseconds(100))
        lease.ponged(sentAt: .milliseconds(100), head: .at(9), lease: .seconds(3))
        #expect(lease.expiresAt == nil)
        lease.applied(.at(8))
        #expect(!lease.isHeld(at: .milliseconds(200)))
        lease.applied(.at(9))
        #expect(lease.isHeld(at: .milliseconds(200)))
    }

    @Test func aLeaseThatIsCompletedTooLateIsNotHeld() {
        var lease = NodeLease()
        lease.pinged(at: .milliseconds(100))
        lease.ponged(sentAt: .milliseconds(100), head: .at(9), lease: .seconds(3))
        lease.applied(.at(9))
        #expect(!lease.isHeld(at: .milliseconds(4_000)))
    }

    @Test func aPongWithoutALeaseGrantsNothingAndTakesNothingAway() {
        var lease = NodeLease()
        lease.applied(.at(9))
        lease.pinged(at: .milliseconds(100))
        lease.pinged(at: .milliseconds(1_100))
        lease.ponged(sentAt: .milliseconds(100), head: .at(9), lease: .seconds(3))
        lease.ponged(sentAt: .milliseconds(1_100), head: .at(9), lease: .zero)
        #expect(lease.expiresAt == .milliseconds(3_100))
    }

    @Test func pongsInAnyOrderLeaveTheLongestLease() {
        for order in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
            var lease = NodeLease()
            lease.applied(.at(9))
            for number in 1...3 { lease.pinged(at: .milliseconds(UInt64(number) * 1_000)) }
            for number in order {
                lease.ponged(
                    sentAt: .milliseconds(UInt64(number) * 1_000), head: .at(9),
                    lease: .seconds(3))
            }
            #expect(lease.expiresAt == .milliseconds(6_000))
        }
    }

    @Test func aPongToNoPingOfOursGrantsNothing() {
        var lease = NodeLease()
        lease.applied(.at(9))
        lease.pinged(at: .milliseconds(100))
        lease.ponged(sentAt: Instant(nanoseconds: .max), head: .at(9), lease: .seconds(3))
        lease.ponged(sentAt: .milliseconds(99), head: .at(9), lease: .seconds(3))
        #expect(lease.expiresAt == nil)
        lease.ponged(sentAt: .milliseconds(100), head: .at(9), lease: .seconds(3))
        #expect(lease.expiresAt == .milliseconds(3_100))
    }

    @Test func aRevokedLeaseComesBackOnlyByANewPing() {
        var lease = NodeLease()
        lease.applied(.at(9))
        lease.pinged(at: .milliseconds(100))
        lease.pinged(at: .milliseconds(200))
        lease.ponged(sentAt: .milliseconds(100), head: .at(9), lease: .seconds(3))
        lease.revoke()
        lease.ponged(sentAt: .milliseconds(200), head: .at(9), lease: .seconds(3))
        #expect(!lease.isHeld(at: .milliseconds(300)))
        lease.pinged(at: .milliseconds(400))
        lease.ponged(sentAt: .milliseconds(400), head: .at(9), lease: .seconds(3))
        #expect(lease.isHeld(at: .milliseconds(500)))
    }

    @Test func pendingGrantsAndPingsAreBounded() {
        var lease = NodeLease()
        for number in 1...UInt64(1_000) {
            lease.pinged(at: .milliseconds(number))
            lease.ponged(sentAt: .milliseconds(number), head: .at(number), lease: .seconds(3))
        }
        // The eight newest grants are kept; all older ones would have run out sooner anyway.
        lease.applied(.at(992))
        #expect(lease.expiresAt == nil)
        lease.applied(.at(1_000))
        #expect(lease.expiresAt == .milliseconds(4_000))
    }
}

extension Instant {
    fileprivate static func milliseconds(_ count: UInt64) -> Instant {
        Instant(nanoseconds: count * 1_000_000)
    }
}

extension LogPosition {
    fileprivate static func at(_ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
    }
}
