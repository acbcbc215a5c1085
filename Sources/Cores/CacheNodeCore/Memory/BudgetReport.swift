/// Events of a node's memory budget for an operator.
package enum BudgetReport: Hashable, Sendable {
    /// Why the budget changed.
    package enum Cause: Hashable, Sendable {
        /// A bound leaves no more.
        case limit(MemorySample.Bound)
        /// Every task waited for memory, for this share of the time.
        case stalls(share: Double)
        /// Memory has been calm.
        case calm
    }

    /// The kernel provides no information here; nothing is watched.
    case nothingToWatch
    /// At the start: the configured memory exceeds the bound.
    case tooMuchConfigured(bytes: Int, MemorySample.Bound, budgetBytes: Int)
    case changed(fromBytes: Int, toBytes: Int, Cause)
    /// The budget is at its minimum, and that still exceeds the bound.
    case atFloor(bytes: Int, MemorySample.Bound)
}
