import CacheModel
import CacheWire

/// The owners of slots as the log has them, and the records that lead to those that are wanted.
/// docs/decisions/0120 gives the reasons.
///
///     another table is due             in the log         holders applied p          in the log
///   idle ─────────────▶ appending CHANGE ───────────▶ moving(p) ───────▶ appending SERVED ──▶ idle
///
/// It stores nothing but what the log says: the table is the sum of the log's slot records, and
/// what is under way is read from the table. So a publisher that ends between any two records
/// leaves nothing to repair.
///
/// Pure: its owner appends what ``takeDue(now:)`` returns, and reports what became of it.
struct SlotController {
    /// The owners of slots, as of the newest record in the log.
    private(set) var table: SlotTable
    /// The members that are to share the slots.
    private var wanted: [SlotMember]
    /// The record that is being appended.
    private var appending: SlotRecord?
    /// After a refusal: the earliest moment of the next attempt.
    private var notBefore: Instant?
    /// Whether every run that may not know the newest change has no grant any more.
    private var isKnown = false

    /// - Parameter table: of an earlier publisher, at the head of the log; or none's, at the
    ///   beginning of its epoch.
    init(continuing table: SlotTable) {
        self.table = table
        wanted = table.members.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: What is wanted

    /// Other members are to share the slots. A change that is under way goes on; the next one leads
    /// from there to the newest wish.
    ///
    /// - Parameter members: within the bounds of a table; each node once.
    mutating func want(_ members: [SlotMember]) { wanted = members }

    /// Whether the log says what is wanted, and every slot is served.
    var isSettled: Bool {
        appending == nil && table.unserved == nil && nextChange == nil
    }

    // MARK: Moving

    /// The change that every run with a grant has to apply before the next record; `nil`: none.
    /// The beginning of an epoch counts as one.
    var awaited: LogPosition? {
        guard appending == nil, let since = table.unserved else { return nil }
        return LogPosition(epoch: table.position.epoch, sequence: since)
    }

    /// No run has a grant that has not applied ``awaited``.
    mutating func knownToAll() { isKnown = awaited != nil }

    // MARK: Records

    /// The record to append now; `nil` if none is due.
    mutating func takeDue(now: Instant) -> SlotRecord? {
        guard appending == nil, notBefore.map({ $0 <= now }) ?? true else { return nil }
        if let since = table.unserved {
            // One change at a time: what is wanted since then waits until its slots are served.
            guard isKnown, since < .max else { return nil }
            appending = .served(below: SequenceNumber(since.rawValue + 1))
        } else {
            appending = nextChange
        }
        return appending
    }

    /// The record is in the log.
    ///
    /// - Returns: `false` if it does not follow this table; nothing has changed then.
    mutating func appended(_ record: SlotRecord, at position: LogPosition) -> Bool {
        guard table.fold(record, at: position) else { return false }
        (appending, notBefore, isKnown) = (nil, nil, false)
        return true
    }

    /// The log refused the record.
    mutating func refused(retryAt: Instant) { (appending, notBefore) = (nil, retryAt) }

    /// A new epoch begins. What was being appended is gone with the old one, and is computed anew.
    mutating func begun(_ epoch: Epoch) {
        table = table.begun(in: epoch)
        (appending, notBefore, isKnown) = (nil, nil, false)
    }

    /// When a record may be due though nothing has happened; `nil`: never.
    var nextDue: Instant? { appending == nil ? notBefore : nil }

    private var nextChange: SlotRecord? {
        guard let change = SlotPlan(from: table, to: wanted).change else { return nil }
        var next = table
        let place = LogPosition(epoch: table.position.epoch, sequence: .max)
        // The digest covers members and owners, and no position.
        guard next.apply(change, at: place) else { return nil }
        return .change(change, digest: next.digest)
    }
}
