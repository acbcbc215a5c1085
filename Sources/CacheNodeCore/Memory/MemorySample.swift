/// What the kernel says of memory at one moment. Everything in it may be missing.
package struct MemorySample: Hashable, Sendable {
    /// Who bounds the memory.
    package enum Place: Hashable, Sendable {
        case cgroup
        case machine
    }

    /// One bound, and how much of it is in use: by this process and by everybody else under it.
    package struct Bound: Hashable, Sendable {
        package let place: Place
        package let limitBytes: Int
        /// Without what the kernel can take back at once, as clean files that nobody uses.
        package let usedBytes: Int

        /// - Parameters: sizes below zero count as zero, above ``BudgetLimits/bytesReach`` as that.
        package init(_ place: Place, limitBytes: Int, usedBytes: Int) {
            self.place = place
            self.limitBytes = min(max(limitBytes, 0), BudgetLimits.bytesReach)
            self.usedBytes = min(max(usedBytes, 0), BudgetLimits.bytesReach)
        }
    }

    /// Each bound that holds: of the cgroup, of those around it, or of the machine.
    package var bounds: [Bound]
    /// For how long, since some moment of old, every task waited for memory at once.
    package var stalled: Duration?

    package init(bounds: [Bound] = [], stalled: Duration? = nil) {
        self.bounds = bounds
        self.stalled = stalled
    }

    /// Whether nothing is known.
    package var isEmpty: Bool { bounds.isEmpty && stalled == nil }
}
