import CacheModel

/// Reports changes of the budget; several in a row are reported as one.
struct BudgetVoice: Sendable {
    /// The budget when it was last reported.
    private var saidBytes: Int
    private var saidAt: Instant?
    private var cause: BudgetReport.Cause = .calm
    private var isAtFloor = false

    init(budgetBytes: Int) {
        saidBytes = budgetBytes
    }

    mutating func noteChange(_ cause: BudgetReport.Cause) { self.cause = cause }

    /// Another report has stated this budget.
    mutating func noteSaid(_ budgetBytes: Int) { saidBytes = budgetBytes }

    /// Reports once that the floor is too high, until it has been low enough with a margin.
    mutating func noteFloor(
        _ floor: Int, _ tightest: BudgetGovernor.Allowance?, _ budgetBytes: Int,
        into actions: inout [BudgetGovernor.Action]
    ) {
        guard let tightest, tightest.bytes < floor + tightest.slackBytes else {
            isAtFloor = false
            return
        }
        guard !isAtFloor, tightest.bytes < floor, budgetBytes <= floor else { return }
        isAtFloor = true
        actions.append(.report(.atFloor(bytes: budgetBytes, tightest.bound)))
    }

    mutating func speak(
        _ budgetBytes: Int, now: Instant, into actions: inout [BudgetGovernor.Action]
    ) {
        guard budgetBytes != saidBytes else { return }
        if let saidAt, now.elapsed(since: saidAt) < BudgetLimits.reportInterval { return }
        actions.append(.report(.changed(fromBytes: saidBytes, toBytes: budgetBytes, cause)))
        saidBytes = budgetBytes
        saidAt = now
    }
}
