import CacheInvalidation
import CacheModel

/// Whose life of each node was the last: which of its runs were granted a lease, the newest first.
/// docs/decisions/0034 gives the reasons.
///
/// It must never name an older run than the last. So a run that is granted a lease again after
/// another one was – it had slept, or two run at a time – makes the answer *unknown* until a new
/// one comes: neither knows what the other has stored.
///
/// Pure: it is told of grants. Bounded by ``PublisherLimits/livesNodesMax`` and
/// ``PublisherLimits/livesPerNodeMax``.
struct LifeBook: Hashable {
    struct Lives: Hashable {
        /// Runs that were granted a lease, the newest first; never empty.
        var runs: [Incarnation]
        /// Which run was granted a lease last before the newest; none if that is not known.
        var previous: Incarnation
        /// Whether no other run was granted a lease since the newest was for the first time.
        var isAlone: Bool
        /// Whether no run but the newest can hold a lease any more.
        var isSettled = false
        /// Which change of the book this is; 0 if an earlier publisher noted it.
        var change: UInt64 = 0

        /// Whether nothing is to be noted when this run is granted a lease.
        func know(_ run: Incarnation) -> Bool {
            isAlone ? runs.first == run : runs.contains(run)
        }
    }

    private(set) var nodes: [NodeID: Lives] = [:]
    /// Changes so far.
    private(set) var changes: UInt64 = 0

    init() {}

    /// The book of an earlier publisher.
    init(resuming nodes: [NodeID: Lives]) { self.nodes = nodes }

    /// Which run of the node was granted a lease last before this one; none if that is not known.
    /// For the newest run it is always the same.
    func previous(of run: NodeRun) -> Incarnation {
        guard let lives = nodes[run.node] else { return .none }
        if lives.runs.first == run.incarnation { return lives.previous }
        return lives.isAlone ? lives.runs.first ?? .none : .none
    }

    /// Which change noted that this run has, or may have, a lease; `nil` if none did.
    func change(noting run: NodeRun) -> UInt64? {
        guard let lives = nodes[run.node], lives.know(run.incarnation) else { return nil }
        return lives.change
    }

    /// A run is granted a lease.
    ///
    /// - Parameter isRegistered: tells whether a node may still have runs; of those that may not,
    ///   one leaves where the book is full.
    mutating func note(_ run: NodeRun, isRegistered: (NodeID) -> Bool) {
        guard change(noting: run) == nil else { return }
        let old = nodes[run.node]
        if old == nil { makeRoom(isRegistered) }
        let others = (old?.runs ?? []).filter { $0 != run.incarnation }
        let isNew = others.count == old?.runs.count ?? 0
        changes += 1
        nodes[run.node] = Lives(
            runs: [run.incarnation] + others.prefix(PublisherLimits.livesPerNodeMax - 1),
            previous: isNew ? previous(of: run) : .none, isAlone: isNew, change: changes)
    }

    /// Nodes of which another run than the newest may still hold a lease.
    var unsettled: some Sequence<(node: NodeID, newest: Incarnation)> {
        nodes.lazy.compactMap { node, lives in
            lives.isSettled || !lives.isAlone
                ? nil : lives.runs.first.map { (node: node, newest: $0) }
        }
    }

    /// No run of the node but the newest can hold a lease any more.
    mutating func settle(_ node: NodeID) {
        guard nodes[node]?.isSettled == false else { return }
        // Its newest run is noted already: no lease waits for this to be kept.
        changes += 1
        nodes[node]?.isSettled = true
    }

    /// Nothing is known of the node any more.
    mutating func forget(_ node: NodeID) {
        if nodes.removeValue(forKey: node) != nil { changes += 1 }
    }

    /// Nothing is known any more of nodes that only an earlier publisher's book told of.
    mutating func forgetInherited() {
        let known = nodes.filter { $0.value.change > 0 }
        guard known.count < nodes.count else { return }
        nodes = known
        changes += 1
    }

    private mutating func makeRoom(_ isRegistered: (NodeID) -> Bool) {
        guard nodes.count >= PublisherLimits.livesNodesMax else { return }
        guard let leaving = nodes.keys.filter({ !isRegistered($0) }).min() ?? nodes.keys.min()
        else { return }
        nodes[leaving] = nil
    }
}
