import CacheInvalidation
import CacheModel
import CacheWire

/// The slots of a cluster whose log assigns them, and the table from which a later publisher
/// continues: docs/decisions/0120.
///
///     SlotController ── record ──▶ log ── in the log ──▶ table ── takeUnstored ──▶ stored
///
/// A stored table that is behind the log is completed from the records after its mark. So it is
/// stored again after each slot record, and before many other records lie between.
struct PublishedSlots {
    private var controller: SlotController
    /// Where the log stood when the table was stored last; `nil`: it was not.
    private var kept: LogPosition?
    /// Where the log stood when the table was handed out to be stored.
    private var underWay: LogPosition?
    /// After a failure: the earliest moment of the next attempt.
    private var notBefore: Instant?
    /// Of the records since the table was handed out.
    private var bytesSince = 0

    /// - Parameter kept: the mark of the stored table; `nil`: none is stored in this epoch.
    init(continuing table: SlotTable, kept: LogPosition?) {
        controller = SlotController(continuing: table)
        self.kept = kept
    }

    /// The owners of slots, as of the newest record in the log.
    var table: SlotTable { controller.table }

    /// Whether the table may be told: a publisher that starts later continues with it, or begins
    /// another epoch.
    var mayBeTold: Bool { kept?.epoch == table.position.epoch }

    /// Whether no record is due or under way.
    ///
    /// - Complexity: O(slots).
    var isSettled: Bool { controller.isSettled }

    // MARK: Changes

    /// These nodes are to share the slots.
    mutating func want(_ nodes: [PublisherPlan.Node]) {
        controller.want(
            nodes.map {
                SlotMember(
                    node: $0.id, state: .member, shardCount: UInt8(clamping: $0.shards),
                    weightThousandths: $0.weightThousandths)
            })
    }

    /// The record to append now; `nil` if none is due.
    ///
    /// - Parameter grants: who has to know a change before the next record.
    mutating func takeDue(among grants: GrantTable, guards: Guards, now: Instant) -> SlotRecord? {
        if let awaited = controller.awaited,
            MembershipChange.behind(awaited, among: grants, now: now).isEmpty
                || !guards.isOn(.slotsAllHolders)
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
    var nextDue: Instant? { controller.nextDue }

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
        } else {
            (kept, notBefore) = (position, nil)
        }
    }
}
