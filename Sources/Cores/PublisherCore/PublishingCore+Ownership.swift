import CacheInvalidation
package import CacheModel
import CacheWire

/// The owners of keys: by the members of a sharded cluster, as the log records them
/// (docs/decisions/0084), or by slots (docs/decisions/0120).
extension PublishingCore {
    /// Whether every shard knows the members, or has no lease; `nil` if the cluster is not sharded.
    package var areMembersSettled: Bool? { ownership.members.areSettled }

    /// Whether the log must still hide everything: the cluster has, or may have had, another kind.
    package var hidesEverything: Bool { ownership.members.hidesEverything }

    /// The nodes that keys wait for; `nil` if all keys are answered. The wait ends when these nodes
    /// greet, or their leases end.
    package func membersHold(at now: Instant) -> MembersHold? {
        ownership.members.hold(plan, nodes.grants, now: now)
    }

    /// Advances a change of the owners as far as it can.
    mutating func continueOwnership(now: Instant) {
        let before = ownership.standing
        for request in ownership.advance(plan, &nodes, log: log, now: now) {
            appender.insert(request)
        }
        if ownership.standing != before { topology.advance() }
    }

    /// The owners of slots.
    package var slots: SlotsStanding { ownership.slotsStanding(plan, nodes) }

    /// Continues with the slots that an earlier publisher of this log stored. Call it after
    /// ``resumeLives(_:)``.
    ///
    /// - Parameter kept: `nil` if there are none.
    /// - Returns: why they cannot be continued although slots are in force: a new epoch begins, in
    ///   which every node hides everything.
    /// - Complexity: O(records since they were stored).
    package mutating func resumeSlots(_ kept: [UInt8]?) -> SlotsLoss? {
        let loss = ownership.resumeSlots(kept, in: log)
        if let table = ownership.slots?.table { nodes.adopt(table, &plan, isBelieved: loss == nil) }
        guard let loss else { return nil }
        openEpoch(loss.behind.next)
        return loss.cause
    }

    /// The slots to store at the end in place of the previous ones; `nil` if they are stored.
    package var slotsToKeep: [UInt8]? { ownership.slots?.unstored(for: log) }

    /// The slots were stored, or could not be: then it is retried.
    package mutating func slotsKept(_ isKept: Bool, now: Instant) {
        if ownership.stored(isFailed: !isKept, now: now) { topology.advance() }
    }
}
