import CacheInvalidation
import CacheModel
import CacheWire

/// The last runs of each node, stored beside the log before another run is granted a lease.
///
///     PING of a new run ──▶ RunTable ──▶ takeUnstored ──▶ stored ──▶ PONG, with the lease
///
/// The stored table must never be outdated, whenever this process ends. So a new run waits for its
/// first lease until the stored table names it, or no table is stored: docs/decisions/0034.
struct StoredRuns {
    /// A PING that waits for its lease.
    struct Waiting {
        let requester: Requester
        let ping: Ping
        let run: NodeRun
        let arrivedAt: Instant
    }

    private(set) var table = RunTable()
    /// Whether the table is stored: the log outlives its process.
    private let isDurable: Bool
    /// Whether an earlier publisher may have granted leases: there was a log, or a table. Of a log
    /// that several lead all of that may have been removed by a restore.
    private var hasPredecessor = false
    /// The newest change of the table that is stored; `nil` before any is.
    private var keptThrough: UInt64?
    /// Whether nothing is stored at all, so that no later publisher can be misled.
    private var isGone = false
    /// The change that is being stored; `nil` if none is.
    private var underWay: UInt64?
    /// After a failure: the earliest moment of the next attempt.
    private var notBefore: Instant?
    /// By run, its newest PING.
    private var waiting: [Incarnation: Waiting] = [:]

    init(isDurable: Bool) { self.isDurable = isDurable }

    // MARK: Leases

    /// A run asks for a lease.
    ///
    /// - Returns: whether the table allows it. If not, ``delay(_:)`` its PING.
    mutating func insert(_ run: NodeRun, isRegistered: (NodeID) -> Bool) -> Bool {
        table.note(run, isRegistered: isRegistered)
        return mayBeGranted(run)
    }

    private func mayBeGranted(_ run: NodeRun) -> Bool {
        guard isDurable else { return true }
        return table.change(noting: run).map(isStored) ?? false
    }

    /// Whether no table that is read later is older than this change.
    private func isStored(_ change: UInt64) -> Bool {
        isGone || keptThrough.map { change <= $0 } ?? false
    }

    /// The PING waits until the table allows the lease.
    ///
    /// - Returns: the earlier PING of the run, which is answered now, so that a slow disk does not
    ///   look like a stopped publisher.
    mutating func delay(_ ping: Waiting) -> Waiting? {
        waiting.updateValue(ping, forKey: ping.run.incarnation)
    }

    /// The runs that wait, sorted.
    var waitingRuns: [Incarnation] { waiting.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Removes the PING of a run that need not wait any more.
    ///
    /// - Parameter isKnown: whether the run is still known.
    mutating func takeReady(_ run: Incarnation, isKnown: Bool) -> Waiting? {
        guard let ready = waiting[run], !isKnown || mayBeGranted(ready.run) else { return nil }
        waiting[run] = nil
        return ready
    }

    /// Records which runs can no longer hold a lease: a later publisher does not wait for those.
    /// Nodes that may hold a grant of an earlier publisher are skipped.
    mutating func settle(_ grants: GrantTable, now: Instant) {
        guard isDurable else { return }
        var granted = grants.grantedRuns(at: now)
        // Waiting runs are granted their leases once that is stored.
        for waiting in waiting.values {
            granted[waiting.run.node, default: []].append(waiting.run)
        }
        table.settle(granted) { !grants.hasGrant(.unheard($0), at: now) }
    }

    /// Removes the recorded runs of the node.
    mutating func remove(_ node: NodeID) { table.forget(node) }

    /// Records the members.
    ///
    /// - Returns: whether a later publisher that reads the table learns them.
    mutating func update(_ members: RunTable.Members) -> Bool {
        guard isDurable else { return true }
        table.note(members)
        return isStored(table.membersChange)
    }

    // MARK: Storing

    /// The table to store now, if it has changed.
    mutating func takeUnstored(
        for log: some InvalidationLog, now: Instant, turnEndedAt: Instant
    ) -> [UInt8]? {
        guard let due = storingDue(for: log, turnEndedAt: turnEndedAt), due <= now else {
            return nil
        }
        // From here on the disk may hold this table or the previous one.
        isGone = false
        underWay = table.changes
        return table.stored(for: log.id, in: log.head.position.epoch)
    }

    /// When the table must be stored again; `nil` while it is being stored, and if nothing is new.
    func storingDue(for log: some InvalidationLog, turnEndedAt: Instant) -> Instant? {
        guard isDurable, log.hasHistory, underWay == nil, hasChanged else { return nil }
        return max(notBefore ?? turnEndedAt, turnEndedAt)
    }

    private var hasChanged: Bool { table.changes > keptThrough ?? 0 }

    /// The table was stored, or could not be.
    ///
    /// - Parameters:
    ///   - isFailed: whether it could not be stored.
    ///   - isGone: whether no table is stored now. If the table could neither be stored nor
    ///     removed, a later publisher may be misled, and new runs wait.
    /// - Returns: `false` if no table was being stored.
    mutating func stored(isFailed: Bool, isGone: Bool, now: Instant) -> Bool {
        guard let change = underWay else { return false }
        underWay = nil
        if isFailed {
            self.isGone = isGone
            notBefore = now.advanced(by: PublisherLimits.livesRetry)
        } else {
            keptThrough = change
            notBefore = nil
        }
        return true
    }

    /// The table to store at the end in place of the previous one; `nil` if it is stored.
    func unstored(for log: some InvalidationLog) -> [UInt8]? {
        guard isDurable, log.hasHistory, underWay != nil || hasChanged else { return nil }
        return table.stored(for: log.id, in: log.head.position.epoch)
    }

    // MARK: Resuming

    /// The result of reading an earlier publisher's table.
    struct Resumption {
        /// Whether the bytes could be read, or there were none.
        var isReadable = true
        /// Whether the table is of this log and epoch: its members count.
        var isCurrent = false
        /// Whether the table is of this log, and slots are in force there.
        var isBySlots = false
        /// The runs that may hold a grant of the earlier publisher, by node.
        var heirs: [(node: NodeID, heir: GrantTable.Heir)] = []
    }

    /// Continues with the table that an earlier publisher of this log stored.
    ///
    /// - Parameters:
    ///   - bytes: `nil` if there is none.
    ///   - nodes: those of the configuration.
    ///   - isRegistered: whether a node may still have runs.
    mutating func resume(
        _ bytes: [UInt8]?, for log: some InvalidationLog, nodes: [NodeID],
        isRegistered: (NodeID) -> Bool
    ) -> Resumption {
        let hasTrace = log.hasHistory || bytes != nil
        hasPredecessor = hasTrace || log.isShared
        guard let bytes, let (known, id, epoch) = bytes.withUnsafeBytes({ RunTable.read($0) })
        else {
            // A log that was begun had a publisher, with records or without, and so did a damaged
            // table: any run may have been granted a lease.
            var result = Resumption(isReadable: bytes == nil)
            if isDurable, hasTrace {
                result.heirs = suspect(nodes, isRegistered: isRegistered)
            }
            return result
        }
        table = known
        // Of another log or epoch: restored with an old copy of the log, copied, or of a log that
        // had to begin anew. With a new epoch every node begins anew, too.
        guard log.hasHistory, id == log.id, epoch == log.head.position.epoch else {
            return Resumption(
                isBySlots: id == log.id && known.members?.isBySlots == true,
                heirs: distrust(nodes, isRegistered: isRegistered))
        }
        keptThrough = 0
        // Its runs may hold a lease, whatever has changed in the configuration since.
        let heirs = known.nodes.compactMap { node, runs in runs.heir.map { (node, $0) } }
        return Resumption(
            isCurrent: true, isBySlots: known.members?.isBySlots == true, heirs: heirs)
    }

    /// The earlier publisher's table may have been set back together with the log. It contains no
    /// later grants: neither those of nodes that it does not name, nor those of further runs of a
    /// node of which one was heard since.
    ///
    /// - Parameters: as for ``resume(_:for:nodes:isRegistered:)``.
    /// - Returns: the nodes that may have runs with a grant.
    mutating func distrust(
        _ nodes: [NodeID], isRegistered: (NodeID) -> Bool
    ) -> [(node: NodeID, heir: GrantTable.Heir)] {
        guard isDurable else { return [] }
        guard hasPredecessor else {
            // All leases were granted by this publisher, which knows them.
            table.storeAgain()
            return []
        }
        table.distrust()
        return suspect(nodes, isRegistered: isRegistered)
    }

    /// Any run of these nodes, and of those in the table, may hold a grant of an earlier publisher.
    /// The next publisher must know that, too.
    private mutating func suspect(
        _ nodes: [NodeID], isRegistered: (NodeID) -> Bool
    ) -> [(node: NodeID, heir: GrantTable.Heir)] {
        for node in nodes { table.suspect(node, isRegistered: isRegistered) }
        // The table is bounded: it may have no room for all of them.
        return Set(table.nodes.keys).union(nodes).sorted().map { ($0, .some) }
    }
}

extension RunTable.Lives {
    /// The run that a later publisher must wait for.
    fileprivate var heir: GrantTable.Heir? {
        switch holders {
        case .several: .some
        case .newest: runs.first.map { .run($0) } ?? .some
        case .none: nil
        }
    }
}
