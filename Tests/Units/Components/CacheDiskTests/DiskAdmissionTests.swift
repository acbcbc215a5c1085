import Testing

@testable import CacheDisk

@Suite struct DiskAdmissionTests {
    private static func at(_ milliseconds: UInt64) -> TierTime {
        TierTime(milliseconds: milliseconds)
    }

    // MARK: The budget

    @Test func aSecondsBytesAreThereAtOnceAndThenAsTheyCome() {
        var budget = WriteBudget(bytesPerSecond: 1_000, at: Self.at(50))
        let first = (0..<12).map { _ in budget.take(100, at: Self.at(50)) }
        #expect(first.count { $0 } == 10)
        let later = (0..<10).map { _ in budget.take(100, at: Self.at(350)) }
        #expect(later.count { $0 } == 3)
        let rested = (0..<20).map { _ in budget.take(100, at: Self.at(90_000)) }
        #expect(rested.count { $0 } == 10, "what was not used does not add up")
    }

    @Test func noPartOfAMillisecondIsLost() {
        var budget = WriteBudget(bytesPerSecond: 300, at: Self.at(0))
        let all = budget.take(300, at: Self.at(0))
        var taken = 0
        for time in 1...10_000 where budget.take(3, at: Self.at(UInt64(time))) { taken += 3 }
        #expect(all && taken == 3_000)
    }

    @Test func anOversizedWriteNeedsAFullBucketAndLeavesDebt() {
        var budget = WriteBudget(bytesPerSecond: 100, at: Self.at(0))
        let outcomes = [
            budget.take(1_000, at: Self.at(0)), budget.take(1, at: Self.at(8_999)),
            budget.take(1, at: Self.at(9_010)), budget.take(1_000, at: Self.at(9_990)),
            budget.take(1_000, at: Self.at(10_010)),
        ]
        #expect(outcomes == [true, false, true, false, true])
    }

    @Test func aTimeThatGoesBackGivesNothing() {
        var budget = WriteBudget(bytesPerSecond: 100, at: Self.at(5_000))
        let outcomes = [
            budget.take(100, at: Self.at(5_000)), budget.take(1, at: Self.at(4_000)),
            budget.take(1, at: Self.at(5_000)),
        ]
        #expect(outcomes == [true, false, false])
    }

    @Test func theGreatestBudgetAndTheLongestRestOverflowNothing() {
        var budget = WriteBudget(bytesPerSecond: .max, at: Self.at(0))
        let first = budget.take(1 << 27, at: Self.at(0))
        let second = budget.take(1 << 27, at: .max)
        #expect(first && second)
    }

    // MARK: The verdict

    private static func verdict(
        _ admission: inout DiskAdmission, _ hash: UInt64, isRoomFree: Bool = false
    ) -> DiskAdmission.Verdict {
        admission.judge(hash, bytes: 100, isRoomFree: isRoomFree, at: at(0))
    }

    @Test func twoRequestsAreEnoughAndOneIsNot() {
        var admission = DiskAdmission()
        admission.prepare(entryCount: 1_000)
        admission.count(1 << 40)
        let once = Self.verdict(&admission, 1 << 40)
        let withRoom = Self.verdict(&admission, 1 << 40, isRoomFree: true)
        admission.count(1 << 40)
        let twice = Self.verdict(&admission, 1 << 40)
        #expect(once == .rare && withRoom == .admitted && twice == .admitted)
        #expect(admission.statistics.rare == 1 && admission.statistics.admitted == 2)
    }

    @Test func beforeThereIsASketchEverythingIsAdmitted() {
        var admission = DiskAdmission()
        admission.count(1)
        let verdict = Self.verdict(&admission, 1)
        let bytes = admission.memoryBytes
        #expect(verdict == .admitted && bytes == 0)
    }

    @Test func aSketchBelowHalfTheNeededSizeIsReplaced() {
        var admission = DiskAdmission()
        admission.prepare(entryCount: 1_000)
        let first = admission.memoryBytes
        for _ in 0..<2 { admission.count(7) }
        admission.prepare(entryCount: 2_000)
        let second = admission.memoryBytes
        let kept = Self.verdict(&admission, 7)
        admission.prepare(entryCount: 3_000)
        let third = admission.memoryBytes
        #expect(first == second && third > 2 * second && kept == .admitted)
    }

    @Test func whatIsOverBudgetIsCounted() {
        var admission = DiskAdmission(
            budget: WriteBudget(bytesPerSecond: 250, at: Self.at(0)))
        let verdicts = (0..<3).map { _ in Self.verdict(&admission, 1) }
        #expect(verdicts == [.admitted, .admitted, .overBudget])
        #expect(admission.statistics.overBudget == 1)
    }

    // MARK: The ring

    @Test func theDiskRingReportsNearlyFullBeforeFull() {
        var bench = DiskBench()
        var (nearlyFullAt, fullAt) = (0, 0)
        var wasNearlyFullFirst = false
        let before = (bench.tier.hasFreeSegments, bench.tier.isNearlyFull)
        #expect(before == (true, false))
        for number in 1...600 {
            bench.set("key \(number)", "value")
            bench.settle()
            if nearlyFullAt == 0, bench.tier.isNearlyFull { nearlyFullAt = number }
            guard fullAt == 0, !bench.tier.hasFreeSegments else { continue }
            fullAt = number
            wasNearlyFullFirst = nearlyFullAt > 0
        }
        let isFull = !bench.tier.hasFreeSegments
        let (expected, count) = (bench.tier.entryCountExpected, bench.tier.entryCount)
        #expect(nearlyFullAt > 0 && fullAt > 100 && wasNearlyFullFirst)
        #expect(isFull, "it stays so, however much is reclaimed")
        #expect((count...count * 2).contains(expected))
        bench.tier.reset()
        let isFreeAgain = bench.tier.hasFreeSegments
        #expect(isFreeAgain)
    }
}
