import CacheInvalidation
import CacheModel

/// Which nodes share the slots. docs/decisions/0120 gives the reasons.
///
///                 drains, or no lease for failover-after
///     sharing ───────────────────────────────────────────▶ away
///        ▲                                                  │
///        └──────────── has a lease for the hold-down ───────┘
///
/// A node without a lease answers for no key. After ``PublisherPlan/failoverAfter`` its slots go to
/// the others, if more than half of the nodes have leases: a publisher that most nodes do not hear
/// is cut off itself. A node that comes back gets slots once it has had a lease for a time, which
/// doubles with each failover within ``PublisherLimits/failoverMemory``. An administrator can give
/// a node up without the majority.
///
/// Pure, and no promise depends on it: it only says what is wanted, and each change of owners waits
/// for every lease. Bounded by the nodes of the configuration.
struct FailoverPolicy {
    private struct Standing {
        var isAway: Bool
        /// When its slots went to others because it had no lease; `nil`: they did not.
        var leftAt: Instant?
        /// How often they did, each within the memory of the time before.
        var failovers: Int
        /// Since when it has a lease again; `nil`: it has none, or is not away.
        var backSince: Instant?

        func left(within span: Duration, of now: Instant) -> Bool {
            leftAt.map { now.elapsed(since: $0) < span } ?? false
        }
    }

    private var standings: [NodeID: Standing] = [:]
    /// When something may change though nothing is heard; `nil`: at the next turn.
    private(set) var nextLook: Instant?
    /// The members of the table that get no slots, sorted.
    private(set) var away: [NodeID] = []

    /// What is known of the nodes at one moment.
    private struct View {
        let plan: PublisherPlan
        let grants: GrantTable
        /// Since when this publisher hears nodes.
        let start: Instant
        let now: Instant
        /// The nodes that have a lease of this publisher.
        let leased: Set<NodeID>

        func isBack(_ node: NodeID) -> Bool {
            leased.contains(node) && grants.state(of: node, at: now) != .draining
        }

        /// Whether it joined, and said goodbye: that is no sign of a network that is cut.
        func hasLeft(_ node: NodeID) -> Bool {
            plan.joined.contains(node) && grants.departed.contains(node)
        }

        /// When the node has had no lease for so long that its slots are due to go to others. A
        /// publisher that has just begun has heard of no lease yet.
        func leaveDue(_ node: NodeID) -> Instant {
            let heard = max(start, grants.inheritedGrantsEnd)
            let last = max(grants.lastGrant(of: node) ?? heard, start)
            return plan.guards.isOn(.failoverPatience)
                ? last.advanced(by: plan.failoverAfter) : start
        }
    }

    /// The next look is due.
    mutating func lookNow() { nextLook = nil }

    /// Looks at what the nodes do.
    ///
    /// - Parameters:
    ///   - table: the present owners.
    ///   - start: since when this publisher hears nodes.
    /// - Returns: the members of the table that is wanted now; `nil` if it is not time to change
    ///   anything.
    /// - Complexity: O(runs + nodes), and O(runs · nodes) while nodes are overdue; O(1) before
    ///   ``nextLook``.
    mutating func look(
        _ plan: PublisherPlan, _ table: SlotTable, _ grants: GrantTable, since start: Instant,
        now: Instant
    ) -> [SlotMember]? {
        guard nextLook.map({ $0 <= now }) ?? true else { return nil }
        let view = View(
            plan: plan, grants: grants, start: start, now: now,
            leased: grants.leasedNodes(at: now))
        let rows = Dictionary(
            table.members.values.map { ($0.node, $0.state) }, uniquingKeysWith: { one, _ in one })
        take(plan.nodes, rows)
        let isFirst = !table.hasOwners
        let due = (isFirst ? [] : leave(view)) + comeBack(view)
        nextLook = due.reduce(now.advanced(by: PublisherLimits.failoverLookSpacing), min)
        away = rows.keys.filter { standings[$0]?.isAway == true }.sorted()
        if isFirst, !isFirstDue(view) { return nil }
        return members(plan, rows)
    }

    /// The first owners are the nodes that are there, and none is left out for a little delay.
    private func isFirstDue(_ view: View) -> Bool {
        view.plan.nodes.allSatisfy { standings[$0.id]?.isAway == false }
            || view.start.advanced(by: view.plan.firstOwnersAfter) <= view.now
    }

    /// A node that is away keeps its row, so that the next publisher knows it as away.
    private func members(
        _ plan: PublisherPlan, _ rows: [NodeID: SlotMember.State]
    ) -> [SlotMember] {
        plan.nodes.compactMap { node in
            let isAway = standings[node.id]?.isAway ?? true
            guard !isAway || rows[node.id] != nil else { return nil }
            return SlotMember(
                node: node.id, state: isAway ? .leaving : .member,
                shardCount: UInt8(clamping: node.shards),
                weightThousandths: node.slotWeightThousandths)
        }
    }

    /// Adds nodes that are new to this publisher. An earlier one left *leaving* rows for those that
    /// it knew as away.
    private mutating func take(
        _ nodes: [PublisherPlan.Node], _ rows: [NodeID: SlotMember.State]
    ) {
        let listed = Set(nodes.map(\.id))
        guard listed != Set(standings.keys) else { return }
        standings = standings.filter { listed.contains($0.key) }
        for node in listed where standings[node] == nil {
            standings[node] = Standing(
                isAway: rows[node] != .member, failovers: rows[node] == .leaving ? 1 : 0)
        }
    }

    /// Whether the slots of the node went to others because it had no lease, not long ago.
    func isRemembered(_ node: NodeID, now: Instant) -> Bool {
        standings[node]?.left(within: PublisherLimits.failoverMemory, of: now) ?? false
    }

    // MARK: Leaving

    /// Takes nodes out that drain, or have been without a lease for long.
    ///
    /// - Returns: when others may be due.
    private mutating func leave(_ view: View) -> [Instant] {
        let isMajorityThere = isMajorityThere(view)
        return view.plan.nodes.compactMap { node in
            guard standings[node.id]?.isAway == false else { return nil }
            guard view.grants.state(of: node.id, at: view.now) != .draining else {
                standings[node.id] = Standing(isAway: true, failovers: 0)
                return nil
            }
            let due = view.leaveDue(node.id)
            guard due <= view.now else { return due }
            if isMajorityThere, !view.grants.mayHoldGrant(node.id, at: view.now) {
                failOver(node.id, now: view.now)
            }
            return nil
        }
    }

    /// An administrator says that a node is gone: its slots go to others now, whether the majority
    /// is there or not. Without another node that can take them, nothing changes.
    ///
    /// - Parameter node: none of its runs may hold a grant.
    /// - Returns: whether they go to others.
    mutating func giveUp(_ node: NodeID, _ grants: GrantTable, now: Instant) -> Bool {
        let isAnotherThere = grants.leasedNodes(at: now).contains {
            $0 != node && standings[$0]?.isAway == false
        }
        guard standings[node]?.isAway == false, isAnotherThere,
            !grants.mayHoldGrant(node, at: now)
        else { return false }
        failOver(node, now: now)
        lookNow()
        return true
    }

    private mutating func failOver(_ node: NodeID, now: Instant) {
        guard var standing = standings[node] else { return }
        let isAgain = standing.left(within: PublisherLimits.failoverMemory, of: now)
        standing.failovers = isAgain ? standing.failovers + 1 : 1
        (standing.isAway, standing.leftAt) = (true, now)
        standings[node] = standing
    }

    /// Whether more than half of the nodes have leases: of those that share the slots, or lost them
    /// lately. Whatever their weights: a network that is cut has no regard for them.
    private func isMajorityThere(_ view: View) -> Bool {
        var (present, all) = (0, 0)
        for node in view.plan.nodes {
            guard let standing = standings[node.id],
                !standing.isAway
                    || standing.left(within: PublisherLimits.failoverVoice, of: view.now),
                !view.hasLeft(node.id)
            else { continue }
            all += 1
            if view.leased.contains(node.id) { present += 1 }
        }
        return present * 2 > all || !view.plan.guards.isOn(.failoverMajority)
    }

    // MARK: Coming back

    /// Takes nodes in again that have had a lease for long enough.
    ///
    /// - Returns: when others may be due.
    private mutating func comeBack(_ view: View) -> [Instant] {
        view.plan.nodes.compactMap { node in
            guard var standing = standings[node.id], standing.isAway else { return nil }
            defer { standings[node.id] = standing }
            guard view.isBack(node.id) else {
                standing.backSince = nil
                return nil
            }
            let since = standing.backSince ?? view.now
            let due = since.advanced(by: holdDown(of: standing, view))
            standing.backSince = since
            guard due <= view.now else { return due }
            (standing.isAway, standing.backSince) = (false, nil)
            return nil
        }
    }

    /// How long a node must have had a lease before it gets slots again.
    private func holdDown(of standing: Standing, _ view: View) -> Duration {
        let isForgotten =
            standing.leftAt != nil
            && !standing.left(within: PublisherLimits.failoverMemory, of: view.now)
        guard standing.failovers > 0, !isForgotten else { return .zero }
        let first = view.plan.failoverAfter
        let doublings = min(standing.failovers - 1, PublisherLimits.holdDownDoublingsMax)
        return max(first, min(first * (1 << doublings), PublisherLimits.holdDownMax))
    }
}
