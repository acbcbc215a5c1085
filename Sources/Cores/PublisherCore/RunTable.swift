import CacheInvalidation
import CacheModel

/// The runs of each node that were granted a lease, newest first, and the members of the cluster.
/// docs/decisions/0034 gives the reasons.
///
/// The table must never name an older run than the last one. A run may be granted a lease again
/// after another run was, because it was suspended or both run at the same time. Then the answer is
/// *unknown* until a new run comes: neither run knows what the other has stored.
///
/// Pure: its owner reports the grants. Bounded by ``PublisherLimits/livesNodesMax`` and
/// ``PublisherLimits/livesPerNodeMax``.
struct RunTable: Hashable {
    /// Which runs of a node may hold a lease, as far as that is known.
    enum Holders: Hashable, Comparable {
        /// Also others than the newest.
        case several
        /// Only the newest.
        case newest
        case none
    }

    struct Lives: Hashable {
        /// Runs that were granted a lease, the newest first; never empty.
        var runs: [Incarnation]
        /// The run that was granted a lease last before the newest; none if unknown.
        var previous: Incarnation
        /// Whether no other run was granted a lease since the newest was granted its first.
        var isAlone: Bool
        /// Which runs may hold a lease.
        var holders = Holders.several
        /// The change of the table that recorded it; 0 if an earlier publisher did.
        var change: UInt64 = 0

        /// Whether a grant of a lease to this run changes nothing here.
        func know(_ run: Incarnation) -> Bool { holders != .none && isNoted(run) }

        /// Whether the table already covers another grant to this run.
        func isNoted(_ run: Incarnation) -> Bool {
            isAlone ? runs.first == run : runs.contains(run)
        }
    }

    /// The members of a sharded cluster that share the keys, and whether every shard knows them.
    struct Members: Hashable {
        /// Hash of their list; 0 for a replicated cluster.
        let digest: UInt64
        let areSettled: Bool
        /// Whether the log must still hide everything, because the cluster has another kind.
        var hidesEverything = false
        /// Whether slots that the log assigns give the keys to their owners, and no list does.
        var isBySlots = false
    }

    private(set) var nodes: [NodeID: Lives] = [:]
    /// `nil` if unknown.
    private(set) var members: Members?
    /// The change that recorded the members; 0 if an earlier publisher did.
    private(set) var membersChange: UInt64 = 0
    /// Changes so far.
    private(set) var changes: UInt64 = 0

    init() {}

    /// The table of an earlier publisher.
    init(resuming nodes: [NodeID: Lives], _ members: Members?) {
        self.nodes = nodes
        self.members = members
    }

    /// Records the members.
    mutating func note(_ members: Members) {
        guard members != self.members else { return }
        changes += 1
        (self.members, membersChange) = (members, changes)
    }

    /// The run of the node that was granted a lease last before this one; none if unknown. For the
    /// newest run the answer never changes.
    func previous(of run: NodeRun) -> Incarnation {
        guard let lives = nodes[run.node] else { return .none }
        if lives.runs.first == run.incarnation { return lives.previous }
        return lives.isAlone ? lives.runs.first ?? .none : .none
    }

    /// Whether another run of the node was granted a lease after this one. Of runs that were
    /// granted leases in turn that is not known, so that none counts as replaced.
    func isReplaced(_ run: NodeRun) -> Bool {
        guard let lives = nodes[run.node], lives.isAlone else { return false }
        return lives.runs.dropFirst().contains(run.incarnation)
    }

    /// The change that recorded that this run has, or may have, a lease; `nil` if none did.
    func change(noting run: NodeRun) -> UInt64? {
        guard let lives = nodes[run.node], lives.know(run.incarnation) else { return nil }
        return lives.change
    }

    /// A run is granted a lease.
    ///
    /// - Parameter isRegistered: whether a node may still have runs. If the table is full, a node
    ///   without a possible lease is removed first, and of those one that may not have runs.
    mutating func note(_ run: NodeRun, isRegistered: (NodeID) -> Bool) {
        guard change(noting: run) == nil else { return }
        let old = nodes[run.node]
        changes += 1
        if var lives = old, lives.isNoted(run.incarnation) {
            lives.holders = lives.isAlone ? .newest : .several
            lives.change = changes
            nodes[run.node] = lives
            return
        }
        if old == nil { makeRoom(isRegistered) }
        let others = (old?.runs ?? []).filter { $0 != run.incarnation }
        let isNew = others.count == old?.runs.count ?? 0
        nodes[run.node] = Lives(
            runs: [run.incarnation] + others.prefix(PublisherLimits.livesPerNodeMax - 1),
            previous: isNew ? previous(of: run) : .none, isAlone: isNew,
            holders: isNew && old?.holders == Holders.none ? .newest : .several, change: changes)
    }

    /// Records that fewer runs can hold a lease than the table states.
    ///
    /// - Parameters:
    ///   - granted: the runs that hold one, by their nodes.
    ///   - isKnown: whether no other run of a node can.
    mutating func settle(_ granted: [NodeID: [NodeRun]], where isKnown: (NodeID) -> Bool) {
        for (node, lives) in nodes where isKnown(node) {
            let runs = granted[node] ?? []
            let isNewest =
                lives.isAlone && runs.map(\.incarnation).elementsEqual(lives.runs.prefix(1))
            let holders: Holders = runs.isEmpty ? .none : isNewest ? .newest : .several
            guard holders > lives.holders else { continue }
            // The next run that is granted a lease is recorded first, and its lease waits for that.
            changes += 1
            nodes[node]?.holders = holders
        }
    }

    /// Removes everything known of the node.
    mutating func forget(_ node: NodeID) {
        if nodes.removeValue(forKey: node) != nil { changes += 1 }
    }

    /// The table that an earlier publisher stored may be out of date: runs that it does not name
    /// may hold a lease, of every node. Forgets the runs that only that table named.
    mutating func distrust() {
        storeAgain()
        if membersChange == 0 { members = nil }
        for node in nodes.keys {
            if nodes[node]?.change == 0 {
                forgetLives(of: node)
            } else {
                nodes[node]?.holders = .several
                nodes[node]?.change = changes
            }
        }
    }

    /// The table has to be stored for the present epoch, also if it names no node.
    mutating func storeAgain() { changes += 1 }

    /// A node without an entry may have runs that hold a lease.
    ///
    /// - Parameter isRegistered: as in ``note(_:isRegistered:)``.
    mutating func suspect(_ node: NodeID, isRegistered: (NodeID) -> Bool) {
        guard nodes[node] == nil else { return }
        makeRoom(isRegistered)
        forgetLives(of: node)
    }

    private mutating func forgetLives(of node: NodeID) {
        changes += 1
        nodes[node] = Lives(
            runs: [.none], previous: .none, isAlone: true, holders: .several, change: changes)
    }

    private mutating func makeRoom(_ isRegistered: (NodeID) -> Bool) {
        guard nodes.count >= PublisherLimits.livesNodesMax else { return }
        // The next publisher must know each node that may hold a lease.
        let leaving = nodes.min { left, right in
            (left.value.holders == .none ? 0 : 1, isRegistered(left.key) ? 1 : 0, left.key)
                < (right.value.holders == .none ? 0 : 1, isRegistered(right.key) ? 1 : 0, right.key)
        }
        if let leaving { nodes[leaving.key] = nil }
    }
}
