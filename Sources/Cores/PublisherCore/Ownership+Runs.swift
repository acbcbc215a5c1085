import CacheInvalidation
import CacheModel

/// Where the log assigns slots, or is about to, one run of a node has a lease at a time: what each
/// of two has stored is unknown to the other, and both would hand it over. docs/decisions/0120.
extension Ownership {
    private func hasLoneRuns(_ plan: PublisherPlan) -> Bool {
        (slots != nil || plan.beginsSlots) && plan.guards.isOn(.leaseExclusive)
    }

    /// Whether a run may get a lease: nothing has to be hidden first, and no other run of its node
    /// may hold one, as far as that matters.
    ///
    /// - Complexity: O(runs).
    func mayLease(
        _ run: NodeRun, _ plan: PublisherPlan, _ nodes: NodeRegistry, now: Instant
    ) -> Bool {
        guard !members.mustHideFirst else { return false }
        return !hasLoneRuns(plan) || !nodes.grants.mayAnotherHold(than: run, at: now)
    }

    /// Whether a run gets no lease again, because another one has got one after it.
    func isReplaced(_ run: NodeRun, _ plan: PublisherPlan, _ nodes: NodeRegistry) -> Bool {
        hasLoneRuns(plan) && nodes.runs.table.isReplaced(run)
    }
}
