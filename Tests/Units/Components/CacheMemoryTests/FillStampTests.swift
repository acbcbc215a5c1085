import CacheModel
import Testing

@testable import CacheMemory

@Suite struct FillStampTests {
    @Test func stampsAreOrderedByEpochThenSequence() {
        let stamps = [
            FillStamp.none, stamp(1), stamp(1 << 48 - 1), stamp(0, epoch: 1),
            stamp(1, epoch: 1), stamp(0, epoch: .max), stamp(1 << 48 - 1, epoch: .max),
        ]
        for (index, left) in stamps.enumerated() {
            for (otherIndex, right) in stamps.enumerated() {
                #expect((left < right) == (index < otherIndex))
            }
        }
    }

    @Test func partsComeBackAsTheyWere() {
        let stamp = stamp(123_456_789, epoch: 77)
        #expect(stamp.epochOrdinal == 77)
        #expect(stamp.sequence == SequenceNumber(123_456_789))
    }

    @Test func limitsAgree() {
        MemoryTierLimits.sample().check()
    }
}
