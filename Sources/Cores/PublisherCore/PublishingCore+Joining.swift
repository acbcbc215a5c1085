import CacheInvalidation
package import CacheModel

/// Nodes that join and leave without a configuration that lists them: docs/decisions/0121.
extension PublishingCore {
    /// The members that the configuration does not list.
    package var joined: Set<NodeID> { plan.joined }

    mutating func changeMembers(now: Instant, _ change: (inout PublisherPlan) -> Void) {
        var plan = plan
        change(&plan)
        if plan != self.plan { self.change(to: plan, now: now) }
    }
}

extension Ownership {
    /// Joined nodes that have no run, may hold no lease and own no slot, unless it matters later
    /// that others got their slots.
    func abandoned(_ plan: PublisherPlan, _ grants: GrantTable, now: Instant) -> Set<NodeID> {
        guard let slots else { return [] }
        // Nodes of before may not have greeted yet.
        let mayAllHaveGreeted =
            grants.inheritedGrantsEnd.advanced(by: plan.failoverAfter) <= now
        let gone = plan.joined.filter {
            grants.newestEntry(of: $0) == nil && !grants.mayHoldGrant($0, at: now)
                && (mayAllHaveGreeted || grants.lastGrant(of: $0) != nil)
                && !slots.isFailoverRemembered(of: $0, now: now)
        }
        return gone.isEmpty ? [] : gone.subtracting(slots.table.holders)
    }
}
