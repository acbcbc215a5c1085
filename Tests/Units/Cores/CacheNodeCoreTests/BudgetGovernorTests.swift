import CacheModel
import CacheNodeCore
import Testing

private let mebibyte = 1 << 20

@Suite struct BudgetGovernorTests {
    @Test func theLimitsAgree() {
        BudgetLimits.check()
    }

    @Test func nothingToReadIsSaidOnceAndNothingFollows() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        stage.read(MemorySample())
        #expect(stage.reports == [.nothingToWatch])
        #expect(stage.governor.nextDeadline == nil)
        stage.read(bound(100, used: 99))
        #expect(stage.budgets == [] && stage.reports.count == 1)
    }

    @Test func aReadingBeginsEverySecondAndWaitsForTheLastShard() {
        var stage = BudgetStage(configured: 1_000 * mebibyte, shards: 3)
        #expect(stage.actions == [.readKernel])
        #expect(stage.tick(after: .milliseconds(999)) == [])
        #expect(stage.tick(after: .milliseconds(1)) == [.measureShards])
        #expect(stage.measure(0, 1) == [])
        #expect(stage.measure(2, 1) == [])
        #expect(stage.measure(2, 1) == [])
        #expect(stage.measure(1, 1) == [.readKernel])
        #expect(stage.measure(1, 1) == [])
    }

    @Test func aSilentShardDelaysAReadingByOneSecondAtMost() {
        var stage = BudgetStage(configured: 1_000 * mebibyte, shards: 2)
        #expect(stage.tick(after: .seconds(1)) == [.measureShards])
        #expect(stage.measure(0, 1) == [])
        #expect(stage.tick(after: .seconds(1)) == [.readKernel, .measureShards])
    }

    @Test func whereLittleIsFreeItLooksTenTimesASecond() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        stage.read(bound(2_000, used: 50))
        stage.second(entries: 1, bound(2_000, used: 1_600))
        #expect(stage.tick(after: .milliseconds(99)) == [])
        #expect(stage.tick(after: .milliseconds(1)) == [.measureShards])
        #expect(stage.measure(0, 1) == [.readKernel])
        stage.read(bound(2_000, used: 100))
        #expect(stage.tick(after: .milliseconds(100)) == [.measureShards])
        #expect(stage.measure(0, 1) == [.readKernel])
        #expect(stage.tick(after: .milliseconds(999)) == [])
        #expect(stage.tick(after: .milliseconds(1)) == [.measureShards])
    }

    @Test func aLimitBelowTheConfiguredMemoryIsReportedAtStart() {
        var stage = BudgetStage(configured: 4_096 * mebibyte)
        let sample = bound(2_000, used: 50)
        stage.read(sample)
        // A tenth is headroom, and fifty are somebody's already.
        #expect(stage.budgets == [1_750 * mebibyte])
        #expect(
            stage.reports == [
                .tooMuchConfigured(
                    bytes: 4_096 * mebibyte, sample.bounds[0], budgetBytes: 1_750 * mebibyte)
            ])
    }

    @Test func aLimitWithRoomIsSilent() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        stage.read(bound(2_000, used: 50))
        stage.run(for: 60) { _ in bound(2_000, used: 700) }
        #expect(stage.budgets == [] && stage.reports == [])
    }

    @Test func fillingUpDoesNotChangeTheBudget() {
        var stage = BudgetStage(configured: 4_096 * mebibyte)
        stage.read(bound(2_000, used: 50))
        for filled in stride(from: 0, through: 1_750, by: 50) {
            stage.second(entries: filled, bound(2_000, used: 50 + filled))
        }
        #expect(stage.budgets == [1_750 * mebibyte])
    }

    @Test func itShrinksByWhatOthersTakeBeforeTheLimitIsReached() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        stage.read(bound(2_000, used: 50))
        stage.second(entries: 1_000, bound(2_000, used: 1_790))
        #expect(stage.budgets == [])
        let sample = bound(2_000, used: 1_900)
        stage.second(entries: 1_000, sample)
        #expect(stage.budgets == [900 * mebibyte])
        #expect(
            stage.reports == [
                .changed(
                    fromBytes: 1_000 * mebibyte, toBytes: 900 * mebibyte, .limit(sample.bounds[0]))
            ])
    }

    @Test func smallDifferencesAreLetBe() {
        var stage = BudgetStage(configured: 2_000 * mebibyte)
        stage.read(bound(2_000, used: 50))
        let first = stage.budgets
        // A quarter of the headroom either way is 50 MiB.
        stage.run(for: 600, entries: 1_700) { second in
            bound(2_000, used: 1_750 + (second % 2 == 0 ? -45 : 45))
        }
        #expect(stage.budgets == first)
    }

    @Test func theTightestOfSeveralBoundsCounts() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        let own = MemorySample.Bound(
            .cgroup, limitBytes: 1_500 * mebibyte, usedBytes: 100 * mebibyte)
        let around = MemorySample.Bound(
            .cgroup, limitBytes: 4_000 * mebibyte, usedBytes: 3_000 * mebibyte)
        stage.read(MemorySample(bounds: [own, around]))
        #expect(stage.budgets == [600 * mebibyte])
    }

    @Test func itGrowsBackSlowlyAndOnlyAfterACalmTime() {
        var stage = BudgetStage(configured: 1_600 * mebibyte)
        stage.read(bound(10_000, used: 1_600))
        stage.second(entries: 1_600, bound(2_000, used: 2_200))
        #expect(stage.budgets == [1_200 * mebibyte])
        stage.run(for: 30, entries: 1_200) { _ in bound(2_000, used: 1_200) }
        #expect(stage.budgets.count == 1)
        stage.run(for: 18, entries: 1_200) { _ in bound(2_000, used: 1_200) }
        // A sixteenth every five seconds, up to what is configured.
        #expect(stage.budgets.dropFirst().map { $0 / mebibyte } == [1_300, 1_400, 1_500, 1_600])
        stage.run(for: 100, entries: 1_600) { _ in bound(2_000, used: 1_600) }
        #expect(stage.budgets.count == 5)
        #expect(stage.governor.budgetBytes == 1_600 * mebibyte)
    }

    @Test func aLimitThatChangesIsFollowedBothWays() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        stage.read(bound(4_000, used: 1_000))
        stage.second(entries: 1_000, bound(1_000, used: 1_100))
        #expect(stage.budgets == [800 * mebibyte])
        stage.run(for: 200, entries: 800) { _ in bound(4_000, used: 900) }
        #expect(stage.governor.budgetBytes == 1_000 * mebibyte)
    }

    @Test func itNeverFallsBelowItsFloorAndSaysSoOnce() {
        var stage = BudgetStage(configured: 1_600 * mebibyte)
        stage.read(bound(4_000, used: 100))
        let full = bound(4_000, used: 4_000)
        stage.run(for: 30, entries: 0) { _ in full }
        #expect(stage.budgets == [200 * mebibyte])
        #expect(
            stage.reports.filter { $0 == .atFloor(bytes: 200 * mebibyte, full.bounds[0]) }.count
                == 1)
    }

    @Test func theFloorFollowsALimitFarBelowTheConfiguredMemory() {
        var stage = BudgetStage(configured: 16_000 * mebibyte)
        stage.read(bound(800, used: 790))
        #expect(stage.budgets == [100 * mebibyte])
    }

    @Test func stallsCutTheBudgetOnceTwoReadingsInARowHadThem() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        stage.read(stalled(0))
        stage.second(entries: 1_000, stalled(300))
        #expect(stage.budgets == [])
        stage.second(entries: 1_000, stalled(600))
        #expect(stage.budgets == [900 * mebibyte])
        #expect(
            stage.reports == [
                .changed(
                    fromBytes: 1_000 * mebibyte, toBytes: 900 * mebibyte, .stalls(share: 0.3))
            ])
    }

    @Test func oneStalledReadingAloneChangesNothing() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        stage.read(stalled(0))
        for second in 1...60 { stage.second(entries: 1_000, stalled(second / 2 * 900)) }
        #expect(stage.budgets == [])
    }

    @Test func aCutIsNotRepeatedBeforeItIsObeyed() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        stage.read(stalled(0))
        for second in 1...5 { stage.second(entries: 1_020 - second * 20, stalled(second * 500)) }
        #expect(stage.budgets == [882 * mebibyte])
        stage.second(entries: 880, stalled(3_000))
        #expect(stage.budgets == [882 * mebibyte, 792 * mebibyte])
    }

    @Test func aSumOfStallsThatFallsSaysNothing() {
        var stage = BudgetStage(configured: 1_000 * mebibyte)
        stage.read(stalled(1_000_000))
        stage.second(entries: 1_000, stalled(5))
        stage.second(entries: 1_000, stalled(400))
        stage.second(entries: 1_000, MemorySample(bounds: bound(9_000, used: 1).bounds))
        stage.second(entries: 1_000, stalled(9_000))
        #expect(stage.budgets == [])
    }

    @Test func growthThatBringsTheStallsBackWaitsLongerEachTime() {
        var stage = BudgetStage(configured: 1_600 * mebibyte)
        var waited = 0
        var grownAfter: [Int] = []
        var sum = 0
        stage.read(stalled(0))
        for _ in 0..<2_000 {
            let before = stage.governor.budgetBytes
            // Above 1 500 MiB everybody waits.
            if before > 1_500 * mebibyte { sum += 500 }
            stage.second(entries: before / mebibyte, stalled(sum))
            waited += 1
            if stage.governor.budgetBytes > before, waited > 8 { grownAfter.append(waited) }
            if stage.governor.budgetBytes != before { waited = 0 }
        }
        #expect(grownAfter.count >= 4)
        for (first, next) in zip(grownAfter, grownAfter.dropFirst()) {
            #expect(next > first || first >= 480, "\(grownAfter)")
        }
        #expect(grownAfter.last ?? 0 >= 240)
    }

    @Test func manyChangesAreReportedAsFew() {
        var stage = BudgetStage(configured: 2_000 * mebibyte)
        stage.read(bound(4_000, used: 100))
        for second in 1...15 {
            let budget = stage.governor.budgetBytes / mebibyte
            stage.second(
                entries: budget, bound(4_000, used: 1_600 + budget + second * 110))
        }
        #expect(stage.budgets.count >= 10)
        #expect((1...3).contains(stage.reports.count), "\(stage.reports)")
        stage.run(for: 11, entries: 0) { _ in bound(4_000, used: 2_800) }
        guard case .changed(_, let told, _) = stage.reports.last else {
            Issue.record("the last report is not of a change")
            return
        }
        #expect(told == stage.budgets.last)
    }

    @Test func missingFilesLaterOnChangeNothing() {
        var stage = BudgetStage(configured: 4_096 * mebibyte)
        stage.read(bound(2_000, used: 50))
        stage.run(for: 100) { _ in MemorySample() }
        stage.run(for: 100) { _ in stalled(0) }
        #expect(stage.budgets == [1_750 * mebibyte])
        stage.run(for: 35) { _ in bound(8_000, used: 50) }
        #expect(stage.budgets.count > 1)
    }

    @Test(arguments: UInt64(1)...40)
    func whateverIsReadTheBudgetStaysInItsSpan(seed: UInt64) {
        var dice = BudgetDice(state: seed)
        let configured = 1 + dice.below(1 << 40)
        let shards = 1 + dice.below(8)
        var stage = BudgetStage(configured: configured, shards: shards)
        for _ in 0..<300 {
            var sample = MemorySample()
            for _ in 0..<dice.below(4) {
                let limit = dice.number()
                sample.bounds.append(
                    MemorySample.Bound(
                        dice.below(2) == 0 ? .cgroup : .machine, limitBytes: limit,
                        usedBytes: dice.number()))
            }
            if dice.below(2) == 0 { sample.stalled = .microseconds(dice.below(1 << 40)) }
            for shard in 0..<shards { _ = stage.measure(shard, dice.number()) }
            stage.advance(by: .milliseconds(dice.below(40_000)))
            stage.read(sample)
            let budget = stage.governor.budgetBytes
            #expect(budget > 0 && budget <= configured)
        }
    }
}

/// A node whose entries fill the budget, beside a neighbour that comes and goes.
@Suite struct BudgetLoopTests {
    @Test func underANoisyNeighbourTheLimitHoldsAndTheBudgetRests() {
        var stage = BudgetStage(configured: 3_000 * mebibyte)
        var dice = BudgetDice(state: 7)
        let limit = 4_000
        var entries = 0
        var mostUsed = 0
        stage.read(bound(limit, used: 100))
        for second in 0..<900 {
            let isThere = (100..<500).contains(second)
            let neighbour = 100 + dice.below(60) + (isThere ? min(2_000, (second - 100) * 80) : 0)
            // 300 MiB come in a second, and what is too much is gone within one.
            entries = min(entries + 300, stage.governor.budgetBytes / mebibyte)
            mostUsed = max(mostUsed, entries + neighbour)
            stage.second(entries: entries, bound(limit, used: entries + neighbour))
        }
        #expect(mostUsed < limit - 200)
        #expect(stage.governor.budgetBytes == 3_000 * mebibyte)
        let turns = zip(stage.budgets, stage.budgets.dropFirst()).map { $1 > $0 }
        let changesOfDirection = zip(turns, turns.dropFirst()).filter { $0 != $1 }.count
        #expect(changesOfDirection <= 1, "\(stage.budgets.map { $0 / mebibyte })")
    }
}

private func bound(_ limit: Int, used: Int) -> MemorySample {
    MemorySample(bounds: [
        MemorySample.Bound(.cgroup, limitBytes: limit * mebibyte, usedBytes: used * mebibyte)
    ])
}

private func stalled(_ milliseconds: Int) -> MemorySample {
    MemorySample(stalled: .milliseconds(milliseconds))
}

/// A governor in a test's hands, with a clock.
private struct BudgetStage {
    var governor: BudgetGovernor
    var now = Instant(nanoseconds: 1_000_000_000_000)
    /// What the last call asked for.
    var actions: [BudgetGovernor.Action] = []
    var budgets: [Int] = []
    var reports: [BudgetReport] = []

    init(configured: Int, shards: Int = 1) {
        governor = BudgetGovernor(configuredBytes: configured, shardCount: shards)
        governor.start(now: now, into: &actions)
    }

    mutating func advance(by duration: Duration) { now = now.advanced(by: duration) }

    mutating func tick(after duration: Duration) -> [BudgetGovernor.Action] {
        advance(by: duration)
        actions = []
        governor.tick(now: now, into: &actions)
        return actions
    }

    mutating func measure(_ shard: Int, _ bytes: Int) -> [BudgetGovernor.Action] {
        actions = []
        governor.measured(ShardIndex(shard), residentBytes: bytes, into: &actions)
        return actions
    }

    mutating func read(_ sample: MemorySample) {
        actions = []
        governor.read(sample, now: now, into: &actions)
        for action in actions {
            switch action {
            case .setBudget(let bytes): budgets.append(bytes)
            case .report(let report): reports.append(report)
            case .measureShards, .readKernel: Issue.record("a reading asks for nothing")
            }
        }
    }

    /// One reading a second later, when the entries take so many MiB.
    mutating func second(entries: Int, _ sample: MemorySample) {
        #expect(tick(after: .seconds(1)) == [.measureShards])
        #expect(measure(0, entries * mebibyte) == [.readKernel])
        read(sample)
    }

    mutating func run(for seconds: Int, entries: Int = 0, _ sample: (Int) -> MemorySample) {
        for number in 0..<seconds { second(entries: entries, sample(number)) }
    }
}

private struct BudgetDice {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 16) % UInt64(bound))
    }

    /// Any number, often an extreme one.
    mutating func number() -> Int {
        switch below(6) {
        case 0: Int.max
        case 1: Int.min
        case 2: 0
        default: below(1 << 42)
        }
    }
}
