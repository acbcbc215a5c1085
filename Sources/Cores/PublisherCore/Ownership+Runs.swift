import CacheInvalidation
import CacheModel
import CacheWire

/// Where the log assigns slots, or is about to, one run of a node has a lease at a time: what each
/// of two has stored is unknown to the other, and both would hand it over. docs/decisions/0120.
extension Ownership {
    private func hasLoneRuns(_ plan: PublisherPlan) -> Bool {
        (slots != nil || plan.beginsSlots) && plan.guards.isOn(.leaseExclusive)
    }

    /// Why a run is not taken in.
    struct Refusal {
        let code: ErrorCode
        let sentence: String
        var retryAfter: UInt32?
    }

    /// Why a run is not taken in now; `nil`: it is. One that would be taken in beside a run with a
    /// lease would take over its place in the topology, and answer nothing.
    ///
    /// - Complexity: O(runs).
    func refusal(
        of run: NodeRun, _ hello: Hello, _ plan: PublisherPlan, _ nodes: inout NodeRegistry,
        now: Instant
    ) -> Refusal? {
        guard slots == nil || hello.knowsSlots else {
            return Refusal(code: .unsupported, sentence: NodeRefusal.withoutSlots)
        }
        guard !isReplaced(run, plan, nodes) else {
            return Refusal(code: .notRegistered, sentence: NodeRefusal.replaced)
        }
        guard hasLoneRuns(plan), let end = nodes.grants.grantEnd(ofOthersThan: run, at: now)
        else { return nil }
        nodes.grants.heardSecondRun(of: run.node, now: now)
        let left = end.elapsed(since: now)
        return Refusal(
            code: .leased, sentence: NodeRefusal.waits(run.node, for: left),
            retryAfter: UInt32(clamping: left.wholeMilliseconds))
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
