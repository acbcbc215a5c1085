import CacheModel
import CacheWire

/// The owners of slots as the log has them, and the records that lead to those that are wanted.
/// docs/decisions/0120 gives the reasons.
///
///     another table is due             in the log         holders applied p          in the log
///   idle ─────────────▶ appending CHANGE ───────────▶ moving(p) ───────▶ appending SERVED ──▶ idle
///
/// The table is the sum of the log's slot records, and how far a change has come is read from it.
/// So a publisher that ends between any two records leaves nothing to repair.
///
/// Pure: its owner appends what ``takeDue(now:)`` returns, and reports what became of it.
struct SlotController {
    /// The owners of slots, as of the newest record in the log.
    private(set) var table: SlotTable { didSet { unserved = table.unserved } }
    /// ``SlotTable/unserved`` of the table.
    private var unserved: SequenceNumber?
    /// The members that are to share the slots.
    private var wanted: [SlotMember]
    /// The record that is being appended.
    private var appending: SlotRecord?
    /// After a refusal: the earliest moment of the next attempt.
    private var notBefore: Instant?
    /// Whether no run that may not know ``awaited`` has a grant.
    private var isKnown = false
    /// Whether there was nothing to change when that was last computed.
    private var isAtRest = false

    /// - Parameter table: as an earlier publisher left it; without one, that of the beginning of
    ///   the epoch.
    init(continuing table: SlotTable) {
        self.table = table
        unserved = table.unserved
        wanted = table.members.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: What is wanted

    /// Other members are to share the slots. A change that is under way goes on; the next one leads
    /// from there to the newest wish.
    ///
    /// - Parameter members: within the bounds of a table; each node once.
    mutating func want(_ members: [SlotMember]) {
        guard members != wanted else { return }
        (wanted, isAtRest) = (members, false)
    }

    /// Whether no record is due or under way: the table is as wanted, as far as it can be.
    ///
    /// - Complexity: O(slots).
    var isSettled: Bool {
        appending == nil && unserved == nil && (isAtRest || nextChange == nil)
    }

    // MARK: Moving

    /// The change that every run with a grant has to apply before the next record; `nil`: none.
    /// The beginning of an epoch counts as one.
    var awaited: LogPosition? {
        guard appending == nil, let unserved else { return nil }
        return LogPosition(epoch: table.position.epoch, sequence: unserved)
    }

    /// Every run with a grant has applied this position.
    mutating func knownToAll(_ position: LogPosition) {
        if position == awaited { isKnown = true }
    }

    // MARK: Records

    /// The record to append now; `nil` if none is due.
    ///
    /// - Complexity: O(1) while nothing changes, else O(slots).
    mutating func takeDue(now: Instant) -> SlotRecord? {
        guard appending == nil, !isAtRest, notBefore.map({ $0 <= now }) ?? true else { return nil }
        notBefore = nil
        if let unserved {
            // One change at a time: what is wanted since then waits until its slots are served.
            guard isKnown, unserved < .max else { return nil }
            appending = .served(below: SequenceNumber(unserved.rawValue + 1))
        } else {
            appending = nextChange
            isAtRest = appending == nil
        }
        return appending
    }

    /// The record is in the log.
    ///
    /// - Returns: `false` if it is not the one that was due, or does not follow this table. Nothing
    ///   has changed then; the table is not that of the log, and a new epoch has to begin.
    mutating func appended(_ record: SlotRecord, at position: LogPosition) -> Bool {
        guard record == appending, table.fold(record, at: position) else { return false }
        (appending, isKnown) = (nil, false)
        return true
    }

    /// The log refused the record.
    mutating func refused(retryAt: Instant) { (appending, notBefore) = (nil, retryAt) }

    /// A new epoch begins. What was being appended is gone with the old one, and is computed anew.
    mutating func begun(_ epoch: Epoch) {
        table = table.begun(in: epoch)
        (appending, notBefore, isKnown, isAtRest) = (nil, nil, false, false)
    }

    /// When a record may be due though nothing has happened; `nil`: never.
    var nextDue: Instant? { appending == nil ? notBefore : nil }

    private var nextChange: SlotRecord? {
        guard let change = SlotPlan(from: table, to: wanted).change else { return nil }
        var next = table
        // The digest is of members and owners, whatever the position.
        let place = LogPosition(epoch: table.position.epoch, sequence: .max)
        guard next.apply(change, at: place) else { return nil }
        return .change(change, digest: next.digest)
    }
}
