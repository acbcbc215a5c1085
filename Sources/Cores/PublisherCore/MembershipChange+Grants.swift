import CacheInvalidation
package import CacheModel

/// Which nodes a change of the members waits for.
extension MembershipChange {
    /// Whether no run that has not greeted can have members of an earlier publisher in force. With
    /// records on disk that may be runs of nodes that are no longer configured. Without them the
    /// first run of a node that is heard represents earlier ones (docs/decisions/0083).
    ///
    /// - Parameter isOpen: whether nodes join that are not listed: they wait for the slots, and the
    ///   slots for this, so that it needs no node.
    static func areGone(
        _ earlier: Earlier, _ grants: GrantTable, isOpen: Bool, now: Instant
    ) -> Bool {
        if earlier != .greeted { return grants.inheritedGrantsEnd <= now }
        // Before the first node greets nothing is appended: the log may still continue a node's.
        if grants.everyEntry.isEmpty, !isOpen { return false }
        return !grants.holders(at: now).contains { $0.incarnation == .none }
    }

    /// The runs with a lease that have not applied a record.
    static func behind(
        _ position: LogPosition, among grants: GrantTable, now: Instant
    ) -> [NodeRun] {
        grants.holders(at: now).filter { run in
            !(grants.entry(of: run)?.applied.map { $0 >= position } ?? false)
        }
    }

    /// The nodes that keys wait for; `nil` if all keys are answered. The wait ends when these nodes
    /// greet, or their leases end.
    func hold(_ plan: PublisherPlan, _ grants: GrantTable, now: Instant) -> MembersHold? {
        switch stage {
        case .settled: nil
        case .greeting where grants.everyEntry.isEmpty:
            // Even if their leases are over by now, the first node that greets is waited for,
            // unless others may join.
            plan.nodes.isEmpty ? nil : MembersHold(nodes: plan.nodes.map(\.id), end: nil)
        case .greeting:
            MembersHold(
                nodes: grants.holders(at: now).filter { $0.incarnation == .none }.map(\.node),
                end: grants.inheritedGrantsEnd)
        case .told(let position):
            MembersHold(
                nodes: Self.behind(position, among: grants, now: now).map(\.node), end: nil)
        case .noting, .due, .appending: MembersHold(nodes: [], end: nil)
        }
    }
}

/// Why keys that may have another owner are not answered yet.
package struct MembersHold: Hashable, Sendable {
    /// Nodes that may still answer for them, sorted, each once; empty while the log or the table is
    /// written.
    package let nodes: [NodeID]
    /// The latest time at which one of them can; `nil` if each has its own end.
    package let end: Instant?

    init(nodes: [NodeID], end: Instant?) {
        self.nodes = Set(nodes).sorted()
        self.end = end
    }
}

extension PublisherPlan {
    /// The properties that determine the owner of each key.
    var members: [Membership.Member] {
        nodes.map {
            Membership.Member(
                node: $0.id, shards: UInt16(clamping: $0.shards),
                weightThousandths: $0.weightThousandths)
        }
    }
}
