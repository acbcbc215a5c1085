import Testing

@testable import CacheLoading

@Suite struct RetryBudgetTests {
    @Test func itBeginsFullAndIsNeverOverdrawn() {
        var budget = RetryBudget()
        var granted = 0
        for _ in 0..<100 where budget.spend() { granted += 1 }
        #expect(granted == 10)
        #expect(budget.tenths == 0)
    }

    @Test func tenFirstAttemptsEarnOneRetry() {
        var budget = RetryBudget()
        for _ in 0..<10 { _ = budget.spend() }
        for _ in 0..<9 { budget.earn() }
        let early = budget.spend()
        budget.earn()
        let late = budget.spend()
        #expect(!early)
        #expect(late)
    }

    @Test func savingsAreBounded() {
        var budget = RetryBudget()
        for _ in 0..<10_000 { budget.earn() }
        #expect(budget.tenths == OriginSchedulerLimits.budgetTenthsMax)
    }

    @Test(arguments: [(1, 50), (2, 100), (3, 200), (5, 800), (6, 1_000), (7, 1_000), (500, 1_000)])
    func theLongestRestDoublesUpToItsCap(attemptCount: Int, milliseconds: Int) {
        let longest = RetryBudget.restMax(afterAttempts: attemptCount)
        #expect(longest == .milliseconds(milliseconds))
    }
}
