import CacheInvalidation
package import CacheModel
import CacheWire

/// The members of a sharded cluster, as the log records them: docs/decisions/0084.
///
///     configuration ─▶ MembershipChange ─▶ table ─▶ record, moving ─▶ every holder
///                                                                       └─▶ record, settled
extension PublishingCore {
    /// Whether every shard knows the members, or has no lease; `nil` if the cluster is not sharded.
    package var areMembersSettled: Bool? { membership.areSettled }

    /// Whether the log must still hide everything: the cluster has, or may have had, another kind.
    package var hidesEverything: Bool { membership.hidesEverything }

    /// The nodes that keys wait for; `nil` if all keys are answered. The wait ends when these nodes
    /// greet, or their leases end.
    package func membersHold(at now: Instant) -> MembersHold? {
        membership.hold(plan, nodes.grants, now: now)
    }

    /// Advances a change of the members as far as it can.
    mutating func continueMembership(now: Instant) {
        let before = membership.areSettled
        greetMembers(now: now)
        if membership.stage == .noting, storeMoving() { membership.noted(now: now) }
        // Everything is hidden by now, if that was due: it need not be repeated after a restart.
        if case .told = membership.stage { _ = storeMoving() }
        if case .told(let position) = membership.stage,
            MembershipChange.behind(position, among: nodes.grants, now: now).isEmpty
                || !plan.guards.isOn(.settledMembers)
        {
            membership.appliedByAll(now: now)
        }
        for told in membership.takeDue(now: now) {
            appender.insert(QueuedRequest(origin: .members(told), request: told.request))
        }
        if membership.areSettled != before { topology.advance() }
        if membership.stage == .settled {
            let settled = RunTable.Members(digest: membership.digest, areSettled: true)
            _ = nodes.runs.update(settled)
        }
    }

    /// Waits for nodes with members of an earlier publisher, if there is no table of it.
    private mutating func greetMembers(now: Instant) {
        guard case .greeting(let earlier) = membership.stage else { return }
        // Otherwise a later publisher would take the table for one of a release that did not check.
        if earlier != .unchecked { _ = storeMoving() }
        guard MembershipChange.areGone(earlier, nodes.grants, now: now) else { return }
        membership.greeted(areAllHeard: nodes.grants.isEveryNodeHeard)
    }

    /// - Returns: whether a later publisher that reads the table learns that keys move.
    private mutating func storeMoving() -> Bool { nodes.runs.update(membership.moving) }
}
