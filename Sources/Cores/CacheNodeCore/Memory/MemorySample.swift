/// The kernel's memory information at one moment. Every part may be missing.
package struct MemorySample: Hashable, Sendable {
    /// The owner of a bound.
    package enum Place: Hashable, Sendable {
        case cgroup
        case machine
    }

    /// One bound, and its usage by this process and all others under it.
    package struct Bound: Hashable, Sendable {
        package let place: Place
        package let limitBytes: Int
        /// Without memory that the kernel can reclaim at once, such as clean unused files.
        package let usedBytes: Int

        /// - Parameters: sizes below zero count as zero, above ``BudgetLimits/bytesReach`` as that.
        package init(_ place: Place, limitBytes: Int, usedBytes: Int) {
            self.place = place
            self.limitBytes = min(max(limitBytes, 0), BudgetLimits.bytesReach)
            self.usedBytes = min(max(usedBytes, 0), BudgetLimits.bytesReach)
        }
    }

    /// Each effective bound: of the cgroup, of its parents, or of the machine.
    package var bounds: [Bound]
    /// Total time, since a fixed moment in the past, in which every task waited for memory at once.
    package var stalled: Duration?

    package init(bounds: [Bound] = [], stalled: Duration? = nil) {
        self.bounds = bounds
        self.stalled = stalled
    }

    /// Whether nothing is known.
    package var isEmpty: Bool { bounds.isEmpty && stalled == nil }
}
