import CacheInvalidation
package import CacheModel
import CacheWire

/// The members of a sharded cluster, as the log records them: docs/decisions/0084.
///
///     configuration ─▶ MembershipDesk ─▶ book ─▶ record, moving ─▶ every holder ─▶ record, settled
extension PublisherMind {
    /// Whether every shard knows the members, or has no lease; `nil` if the cluster is not sharded.
    package var areMembersSettled: Bool? { membership.areSettled }

    /// Whether the log must still hide everything: the cluster has, or may have had, another kind.
    package var hidesEverything: Bool { membership.hidesEverything }

    /// Advances a change of the members as far as it can.
    mutating func continueMembership(now: Instant) {
        let before = membership.areSettled
        greetMembers(now: now)
        if membership.stage == .noting, noteMembers() { membership.noted(now: now) }
        // Everything is hidden by now, if that was due: it need not be repeated after a restart.
        if case .told = membership.stage { _ = noteMembers() }
        if case .told(let position) = membership.stage,
            haveHoldersApplied(position, now: now) || !plan.guards.isOn(.settledMembers)
        {
            membership.obeyed(now: now)
        }
        for told in membership.takeDue(now: now) {
            appender.insert(QueuedRequest(origin: .members(told), request: told.request))
        }
        if membership.areSettled != before { topology.advance() }
        if membership.stage == .settled {
            _ = runs.update(LifeBook.Members(digest: membership.digest, areSettled: true))
        }
    }

    /// Waits for nodes with members of an earlier publisher, if there is no table of it.
    private mutating func greetMembers(now: Instant) {
        guard case .greeting(let earlier) = membership.stage else { return }
        // Otherwise a later publisher would take the table for one of a release that did not check.
        if earlier != .unchecked { _ = noteMembers() }
        guard areEarlierMembersGone(earlier, now: now) else { return }
        membership.greeted(areAllHeard: grants.isEveryNodeHeard)
    }

    /// Whether no run that has not greeted can have members of an earlier publisher in force. With
    /// records on disk that may be runs of nodes that are no longer configured. Without them the
    /// first run of a node that is heard represents earlier ones (docs/decisions/0083).
    private func areEarlierMembersGone(
        _ earlier: MembershipDesk.Earlier, now: Instant
    ) -> Bool {
        if earlier != .greeted { return grants.inheritedGrantsEnd <= now }
        // Before the first node greets nothing is appended: the log may still continue a node's.
        if grants.everyEntry.isEmpty { return false }
        return !grants.holders(at: now).contains { $0.incarnation == .none }
    }

    /// A run with a position in a log has sent HELLO. A node of an earlier release knows no
    /// cluster, and has no members in force.
    mutating func noteMembers(of hello: Hello) {
        if hello.cluster != .none || identity.isNameless { membership.heardOfOthers() }
    }

    /// The nodes that keys wait for; `nil` if all keys are answered. The wait ends when these nodes
    /// greet, or their leases end.
    package func membersHold(at now: Instant) -> MembersHold? {
        switch membership.stage {
        case .settled: nil
        case .greeting where grants.everyEntry.isEmpty:
            // Even if their leases are over by now, the first node that greets is waited for.
            plan.nodes.isEmpty ? nil : MembersHold(nodes: plan.nodes.map(\.id), end: nil)
        case .greeting:
            MembersHold(
                nodes: grants.holders(at: now).filter { $0.incarnation == .none }.map(\.node),
                end: grants.inheritedGrantsEnd)
        case .told(let position):
            MembersHold(
                nodes: grants.holders(at: now).filter { run in
                    !(grants.entry(of: run)?.applied.map { $0 >= position } ?? false)
                }.map(\.node), end: nil)
        case .noting, .due, .appending: MembersHold(nodes: [], end: nil)
        }
    }

    /// The members as stated in the topology report.
    var membersNote: MembersNote? {
        membership.areSettled.map { MembersNote(isSettled: $0, asOf: log.head.position) }
    }

    /// - Returns: whether a later publisher that reads the table learns that keys move.
    private mutating func noteMembers() -> Bool {
        runs.update(membership.moving)
    }

    private func haveHoldersApplied(_ position: LogPosition, now: Instant) -> Bool {
        grants.holders(at: now).allSatisfy { run in
            grants.entry(of: run)?.applied.map { $0 >= position } ?? false
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
