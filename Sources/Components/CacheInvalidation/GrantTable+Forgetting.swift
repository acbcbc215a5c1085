package import CacheModel

/// Runs that are over and never said so.
///
/// Only what holds no grant is dropped: a run with one may still call its entries fresh, and an
/// invalidation has to wait for it. A run that is there after all is answered `notRegistered`,
/// introduces itself again and has lost nothing.
extension GrantTable {
    /// Why nothing is dropped of a node.
    package enum Tie: Error, Hashable, Sendable {
        case notRegistered
        /// A run of it, or one that an earlier publisher knew, may call its entries fresh until
        /// then.
        case leased(until: Instant, isHeard: Bool)
    }

    /// What was dropped.
    package struct Dropped: Hashable, Sendable {
        /// ``CacheModel/Incarnation/none`` if no run was known.
        package var newest: Incarnation
        package var runCount: Int
    }

    /// Drops every run of a node. A registered node stays registered.
    ///
    /// - Throws: ``Tie``; nothing has changed then.
    /// - Complexity: O(runs).
    package mutating func drop(
        _ node: NodeID, now: Instant
    ) throws(Tie) -> Dropped {
        let known = entries.values.filter { $0.run.node == node }
        if let end = known.compactMap(\.grantEnds).max(), now < end {
            throw .leased(until: end, isHeard: true)
        }
        if heirs[node] != nil, now < inheritedGrantsEnd {
            throw .leased(until: inheritedGrantsEnd, isHeard: false)
        }
        guard isRegistered(node) || !known.isEmpty else { throw .notRegistered }
        let dropped = Dropped(newest: newest[node] ?? .none, runCount: known.count)
        for entry in known { leave(entry.run) }
        return dropped
    }

    /// Drops the runs that hold no grant, and have neither held one nor been heard for so long.
    ///
    /// - Returns: how many.
    /// - Complexity: O(runs).
    package mutating func dropSilent(for silence: Duration, now: Instant) -> Int {
        let silent = entries.values.filter {
            $0.grantEnds == nil && $0.lastSignOfLife.advanced(by: silence) <= now
        }
        for entry in silent { leave(entry.run) }
        return silent.count
    }
}
