import CacheInvalidation
import CacheModel
import Testing

@Suite struct AppliedMarksTests {
    private func at(_ sequence: UInt64, epoch: UInt32 = 1) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }

    private func second(_ second: UInt64) -> Instant {
        Instant(nanoseconds: second * 1_000_000_000)
    }

    @Test func aPositionWasObeyedWhenItWasFirstCovered() {
        var marks = AppliedMarks()
        #expect(marks.firstHeard(at(1)) == nil)
        marks.note(at(3), now: second(1))
        marks.note(at(3), now: second(2))
        marks.note(at(2), now: second(3))
        marks.note(at(9), now: second(4))
        marks.note(at(1, epoch: 2), now: second(5))
        #expect(marks.firstHeard(at(1)) == second(1))
        #expect(marks.firstHeard(at(3)) == second(1))
        #expect(marks.firstHeard(at(4)) == second(4))
        #expect(marks.firstHeard(at(10)) == second(5), "a later epoch covers it")
        #expect(marks.firstHeard(at(2, epoch: 2)) == nil)
    }

    @Test func theOldestAreForgottenAndNotGuessed() {
        var marks = AppliedMarks()
        let most = UInt64(InvalidationLimits.appliedMarksMax)
        for sequence in 1...most { marks.note(at(sequence), now: second(sequence)) }
        #expect(marks.firstHeard(at(1)) == second(1))
        marks.note(at(most + 1), now: second(most + 1))
        #expect(marks.firstHeard(at(1)) == nil)
        #expect(marks.firstHeard(at(2)) == nil, "what came before it is not known any more")
        #expect(marks.firstHeard(at(3)) == second(3))
    }
}
