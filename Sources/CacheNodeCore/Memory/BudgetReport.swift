/// What an operator should know of a node's memory budget.
package enum BudgetReport: Hashable, Sendable {
    /// Why a budget is another.
    package enum Cause: Hashable, Sendable {
        /// A bound leaves no more.
        case limit(MemorySample.Bound)
        /// Every task waited for memory, for this share of the time.
        case stalls(share: Double)
        /// Memory has been calm.
        case calm
    }

    /// The kernel says nothing here; nothing is watched.
    case nothingToWatch
    /// At the start: more is configured than the bound allows at all.
    case tooMuchConfigured(bytes: Int, MemorySample.Bound, budgetBytes: Int)
    case changed(fromBytes: Int, toBytes: Int, Cause)
    /// The budget is as low as it goes, and that is still more than the bound leaves.
    case atFloor(bytes: Int, MemorySample.Bound)
}
