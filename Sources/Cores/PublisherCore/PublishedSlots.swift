import CacheInvalidation
package import CacheModel
import CacheWire

/// The slots that the log assigns, and the stored table from which a later publisher continues:
/// docs/decisions/0120.
///
///     SlotController ── record ──▶ log ── in the log ──▶ table ── takeUnstored ──▶ stored
///
/// A stored table that is behind the log is completed from the records after its mark. So it is
/// stored again after each slot record, and before many other records lie between.
struct PublishedSlots {
    private var controller: SlotController
    private var failover = FailoverPolicy()
    /// Where the log stood when the table was stored last; `nil`: it was not.
    private var kept: LogPosition?
    /// Where the log stood when the table was handed out to be stored.
    private var underWay: LogPosition?
    /// After a failure: the earliest moment of the next attempt.
    private var notBefore: Instant?
    /// Of the records since the table was handed out, or the bound after a failure.
    private var bytesSince = 0

    /// - Parameter kept: the mark of the stored table; `nil`: none is stored in this epoch.
    init(continuing table: SlotTable, kept: LogPosition?) {
        controller = SlotController(continuing: table)
        self.kept = kept
    }

    /// The owners of slots, as of the newest record in the log.
    var table: SlotTable { controller.table }

    /// For STATUS: how many slots each member owns, and how many have no owner that answers.
    ///
    /// - Complexity: O(slots).
    var figures: [StatusReport.Figure] {
        var counts = table.members.mapValues { _ in UInt64(0) }
        var waiting: UInt64 = 0
        for (run, since) in table.runs {
            counts[run.owner.member, default: 0] += UInt64(run.count)
            if since >= table.servedBelow { waiting += UInt64(run.count) }
        }
        let owned = counts.compactMap { number, count in
            (table.members[number]?.node).map { (node: $0, count: count) }
        }
        return owned.sorted { $0.node < $1.node }.map { .init("slots:\($0.node)", $0.count) }
            + [.init("slots_waiting", waiting)]
    }

    /// Whether the table may be told: a publisher that starts later continues with it, or begins
    /// another epoch.
    var mayBeTold: Bool { kept?.epoch == table.position.epoch }

    // MARK: Changes

    /// The nodes that had slots and get none, because they are away, sorted.
    var away: [NodeID] { failover.away }

    /// Other nodes may have to share the slots.
    mutating func lookNow() { failover.lookNow() }

    /// A node is gone, as an administrator says.
    ///
    /// - Returns: whether its slots go to others.
    mutating func giveUp(_ node: NodeID, _ grants: GrantTable, now: Instant) -> Bool {
        failover.giveUp(node, grants, now: now)
    }

    /// Whether the slots of the node went to others because it had no lease, and that matters for
    /// when it gets some again.
    func isFailoverRemembered(of node: NodeID, now: Instant) -> Bool {
        failover.isRemembered(node, now: now)
    }

    /// The record to append now; `nil` if none is due.
    ///
    /// - Parameters:
    ///   - grants: their runs have to apply a change before the next record is due.
    ///   - start: since when this publisher hears nodes.
    mutating func takeDue(
        _ plan: PublisherPlan, among grants: GrantTable, since start: Instant, now: Instant
    ) -> SlotRecord? {
        if let wanted = failover.look(plan, table, grants, since: start, now: now) {
            controller.want(wanted)
        }
        if let awaited = controller.awaited,
            MembershipChange.behind(awaited, among: grants, now: now).isEmpty
                || !plan.guards.isOn(.slotsAllHolders)
        {
            controller.knownToAll(awaited)
        }
        return controller.takeDue(now: now)
    }

    /// The record is in the log.
    ///
    /// - Returns: `false` if the table of the log is not known any more: a new epoch has to begin.
    mutating func appended(_ record: SlotRecord, at position: LogPosition) -> Bool {
        controller.appended(record, at: position)
    }

    mutating func refused(retryAt: Instant) { controller.refused(retryAt: retryAt) }

    mutating func begun(_ epoch: Epoch) { controller.begun(epoch) }

    /// When a record may be due though nothing has happened; `nil`: never.
    var nextDue: Instant? { [controller.nextDue, failover.nextLook].compactMap(\.self).min() }

    /// These records are in the log.
    mutating func note(_ batch: [SealedRecord]) {
        bytesSince += batch.reduce(0) { $0 + $1.bytes.count }
    }

    // MARK: Storing

    /// The table to store now, if that is due.
    mutating func takeUnstored(
        for log: some InvalidationLog, now: Instant, turnEndedAt: Instant
    ) -> [UInt8]? {
        guard let due = storingDue(for: log, turnEndedAt: turnEndedAt), due <= now else {
            return nil
        }
        underWay = log.head.position
        bytesSince = 0
        return bytes(for: log)
    }

    /// When the table has to be stored; `nil` while it is being stored, and if nothing is new.
    func storingDue(
        for log: some InvalidationLog, turnEndedAt: Instant
    ) -> Instant? {
        guard underWay == nil, log.isStanding, isOutdated(log) else { return nil }
        return max(notBefore ?? turnEndedAt, turnEndedAt)
    }

    /// The table to store at the end in place of the previous one; `nil` if it is stored.
    func unstored(for log: some InvalidationLog) -> [UInt8]? {
        guard log.isStanding, underWay != nil || isOutdated(log) else { return nil }
        return bytes(for: log)
    }

    private func bytes(for log: some InvalidationLog) -> [UInt8] {
        StoredSlots(log: log.id, mark: log.head, table: table).bytes
    }

    private func isOutdated(_ log: some InvalidationLog) -> Bool {
        guard let kept, kept.epoch == log.head.position.epoch, table.position <= kept,
            bytesSince < PublisherLimits.slotsBytesBehindMax
        else { return true }
        // Retention removes the oldest records: the mark stays among the newer half of them.
        let behind = log.head.position.sequence.rawValue - kept.sequence.rawValue
        let length = log.head.position.sequence.rawValue + 1 - log.tail.rawValue
        return behind >= PublisherLimits.slotsRecordsBehindMax || behind > length / 2
    }

    /// The table was stored, or could not be.
    mutating func stored(isFailed: Bool, now: Instant) {
        guard let position = underWay else { return }
        underWay = nil
        if isFailed {
            notBefore = now.advanced(by: PublisherLimits.livesRetry)
            bytesSince = PublisherLimits.slotsBytesBehindMax
        } else {
            (kept, notBefore) = (position, nil)
        }
    }
}

/// The owners of slots, and the nodes that get none.
package struct SlotsStanding {
    /// As of the newest record in the log; `nil`: keys are not owned by slots.
    package let table: SlotTable?
    /// The nodes that had slots and get none, because they are away, sorted.
    package let away: [NodeID]
    /// The nodes that do not know slots, which therefore do not begin, sorted.
    package let lacking: [NodeID]
}
