import CacheMemory
import CacheModel
import CacheWire

/// The slots for which a shard answers, where the log assigns them: docs/decisions/0120.
///
///     first CHANGE, report by slots            report as of its position
///          off ──────────▶ known ◀── record of slots ──┐ ┌────── unknown
///                            │                         └─┘          ▲
///                            └── gap, new epoch, a record that does not fit
///
/// A table is of exactly the position that the shard has applied, or there is none and no key is
/// answered. A report is made at another position: it counts once the shard is there, and only if
/// no record of slots lies between.
struct SlotOwnership {
    private enum State {
        /// A report made at or after this position will state them.
        case unknown(notBefore: LogPosition)
        case known(SlotTable)
    }

    /// A table that was known, and up to where.
    struct Known {
        let table: SlotTable
        let until: LogPosition
    }

    /// A report that was made at a position which the shard has not applied yet.
    private struct Ahead {
        let table: SlotTable
        let asOf: LogPosition
    }

    private let node: NodeID
    private let shard: UInt8
    private let guards: Guards
    private var state: State { didSet { noteTable() } }
    /// What was known before ``state`` became unknown: which entries may stay is judged by it.
    private var last: Known?
    private var ahead: Ahead?
    /// The newest record of slots that was applied while the table was unknown.
    private var newest: LogPosition?
    /// The newest report's version, and the position of its table.
    private var reported: (version: UInt32, table: LogPosition)?
    /// This shard, as an owner in the known table; `nil`: it owns nothing.
    private var own: SlotOwner?
    /// Whether this shard owns slots that others are there for.
    private(set) var isReplaceable = false
    /// A read that was routed by this version of the topology needs no check: only then it was
    /// routed by this table, and every slot in it is served. `nil`: there is none.
    private(set) var trusted: UInt32?

    /// Whether the owners are others, or unknown, since the last ``takeNews()``.
    private(set) var hasNews = false
    /// By slot, how its present owner got it, if that is known.
    private var successions: [HashSlot: SlotSuccession] = [:]

    /// Whether this run has answered for no key yet: what it has is of a disk tier, which is of the
    /// slots that an earlier run had.
    private let isFirst: Bool

    /// Nothing is known of the slots yet.
    ///
    /// - Parameter isFirst: whether this run has answered for no key yet.
    init(
        node: NodeID, shard: ShardIndex, notBefore: LogPosition, isFirst: Bool = false,
        guards: Guards = .all
    ) {
        (self.node, self.guards) = (node, guards)
        self.isFirst = isFirst
        self.shard = UInt8(clamping: shard.rawValue)
        state = .unknown(notBefore: notBefore)
    }

    private mutating func noteTable() {
        guard case .known(let table) = state else {
            (own, trusted, isReplaceable) = (nil, nil, false)
            return
        }
        own = owner(in: table)
        let isAnotherThere = table.members.values.contains {
            $0.node != node && $0.state == .member
        }
        isReplaceable = own != nil && table.owners.contains(own) && isAnotherThere
        noteTrust(table)
    }

    private mutating func noteTrust(_ table: SlotTable) {
        let isCurrent = reported?.table == table.position
        let isServed = table.hasOwners && table.unserved == nil
        trusted = isCurrent && isServed && own != nil ? reported?.version : nil
    }

    /// The owners are others, and records may have been missed.
    private mutating func noteGap() { (hasNews, successions) = (true, [:]) }

    /// Another run of the node may have stored what this one does not know.
    mutating func forgetSuccessions() { successions = [:] }

    /// The owners, if they are others, or unknown, since the last call.
    mutating func takeNews() -> SlotsNews? {
        guard hasNews else { return nil }
        hasNews = false
        guard case .known(let table) = state else { return .unknown }
        return .known(table, successions)
    }

    // MARK: Queries

    /// Whether the newest report is of another table than this one.
    var isReportOutdated: Bool {
        guard case .known(let table) = state, let reported else { return false }
        return reported.table != table.position
    }

    /// Whether a report without slots, made at this position, is of a log that assigns none: it was
    /// begun anew, in a later epoch than all that is known of slots, and the shard is there. Before
    /// that the shard would answer by members for what it stored by slots.
    func isEnded(by asOf: LogPosition, at applied: LogPosition) -> Bool {
        guard asOf.epoch == applied.epoch || !guards.isOn(.slotsEnded) else { return false }
        var known = [newest, reported?.table, last?.table.position].compactMap(\.self)
        if case .known(let table) = state { known.append(table.position) }
        return known.max().map { $0.epoch < asOf.epoch } ?? false
    }

    /// Whether the shard answers for the keys of a slot.
    ///
    /// - Complexity: O(1).
    func answers(_ slot: HashSlot) -> Bool {
        guard case .known(let table) = state, let own else { return false }
        return table[slot] == own && (table.isServed(slot) || !guards.isOn(.slotsServed))
    }

    /// By slot: what was filled before this sequence is of an earlier ownership; `nil` while
    /// unknown.
    var since: [SequenceNumber]? {
        if case .known(let table) = state { table.since } else { nil }
    }

    /// Which keys the shard owns; `nil` while unknown.
    var ownedKeys: (@Sendable (RoutedKey) -> Bool)? {
        guard case .known(let table) = state else { return nil }
        let (owners, own) = (table.owners, own)
        return { own != nil && owners[Int($0.slot.rawValue)] == own }
    }

    /// A hash of the slots of this shard with the *since* of each: it stays the same while the
    /// shard keeps its slots and gets no others. Never 0 or 1; `nil` while unknown.
    ///
    /// - Complexity: O(slots).
    var digest: UInt64? {
        if case .known(let table) = state { digest(in: table) } else { nil }
    }

    private func digest(in table: SlotTable) -> UInt64? {
        owner(in: table).map { table.digest(ofSlotsOf: $0) | 2 }
    }

    /// This shard, as an owner in a table; `nil`: it has no row.
    private func owner(in table: SlotTable) -> SlotOwner? {
        let member = table.members.first { $0.value.node == node }
        return member.map { SlotOwner(member: $0.key, shard: shard) }
    }

    // MARK: Changes

    /// A topology report with a table came.
    ///
    /// - Parameters:
    ///   - asOf: the position of the log when it was made.
    ///   - applied: that of this shard.
    mutating func report(
        _ table: SlotTable, version: UInt32, asOf: LogPosition, at applied: LogPosition
    ) -> ShardOwnership.Consequence {
        reported = (version, table.position)
        if case .known(let known) = state, asOf <= applied, known.position <= asOf,
            known != table
        {
            // It cannot be told which of both is wrong: another report decides.
            forget(at: applied, goingOnFrom: applied)
            return .hides(keeping: nil)
        }
        switch state {
        case .known(let known): noteTrust(known)
        case .unknown(let notBefore) where asOf >= notBefore:
            ahead = Ahead(table: table, asOf: asOf)
        case .unknown: break
        }
        return reconcile(at: applied)
    }

    /// Takes a report over once the shard has applied its position.
    mutating func reconcile(at applied: LogPosition) -> ShardOwnership.Consequence {
        guard case .unknown = state, let ahead, ahead.asOf <= applied else { return .none }
        self.ahead = nil
        // A record of slots that the report does not know lies between: another report follows.
        guard ahead.asOf.epoch == applied.epoch,
            newest.map({ $0 <= ahead.table.position }) ?? true
        else { return .none }
        return becomeKnown(ahead.table, since: last)
    }

    /// A record of the log assigns slots.
    ///
    /// - Returns: its effect on entries filled before it, and what it moves to and from this shard
    ///   if the owners before it were known.
    mutating func apply(
        _ record: SlotRecord, at position: LogPosition, before applied: LogPosition
    ) -> (consequence: ShardOwnership.Consequence, moves: SlotMoves?) {
        let taken = reconcile(at: applied)
        guard case .known(let table) = state else {
            newest = position
            return (.none, nil)
        }
        var next = table
        guard next.fold(record, at: position) else {
            forget(at: applied, goingOnFrom: position)
            newest = position
            return (.hides(keeping: nil), nil)
        }
        let own = own
        state = .known(next)
        hasNews = true
        if case .hides = taken { return (.hides(keeping: nil), nil) }
        guard case .change(let change, _) = record else { return (taken, nil) }
        noteSuccessions(of: change, table, next)
        let before = LogPosition(
            epoch: position.epoch, sequence: SequenceNumber(position.sequence.rawValue - 1))
        let kept = Self.kept(table, own, next, self.own, until: before)
        return (
            kept.map { .moves(keeping: $0) } ?? .hides(keeping: nil),
            SlotMoves(change, at: position, from: (table, own), to: (next, self.own))
        )
    }

    private mutating func noteSuccessions(
        of change: SlotChange, _ before: SlotTable, _ after: SlotTable
    ) {
        for run in change.runs {
            for slot in run.slots.lazy.compactMap({ HashSlot($0) }) {
                let last = before.since[Int(slot.rawValue)]
                guard before[slot]?.member != after[slot]?.member else {
                    let known = successions[slot]
                    successions[slot] = known ?? SlotSuccession(began: last, predecessor: nil)
                    continue
                }
                successions[slot] = SlotSuccession(
                    began: after.since[Int(slot.rawValue)], predecessor: last)
            }
        }
    }

    /// Since when this shard has a key; none while unknown.
    func ownedSince(_ slot: HashSlot) -> LogPosition {
        guard case .known(let table) = state else { return .none }
        return LogPosition(
            epoch: table.position.epoch, sequence: table.since[Int(slot.rawValue)])
    }

    /// Since when this shard's node has a slot, if directly after the owner that had it since then;
    /// `nil`: another may have had it between, or that is unknown.
    func ownedSince(_ slot: HashSlot, after since: LogPosition) -> LogPosition? {
        guard case .known(let table) = state, let succession = successions[slot],
            since.epoch == table.position.epoch, succession.predecessor == since.sequence
        else { return nil }
        return LogPosition(epoch: since.epoch, sequence: succession.began)
    }

    /// The first record of slots: keys had other owners until now.
    ///
    /// - Parameter keeps: whether the shard owned a key until now; `nil`: unknown for all.
    mutating func begin(
        with record: SlotRecord, at position: LogPosition,
        keeping keeps: (@Sendable (RoutedKey) -> Bool)?
    ) -> ShardOwnership.Consequence {
        var table = SlotTable(beginningOf: position.epoch)
        // SERVED says nothing of the table that it is of.
        guard case .change = record, table.fold(record, at: position) else {
            (state, newest) = (.unknown(notBefore: position), position)
            return isFirst ? .none : .hides(keeping: nil)
        }
        state = .known(table)
        noteGap()
        guard !isFirst else { return .adopts }
        guard let keeps, let own else { return .hides(keeping: nil) }
        let owners = table.owners
        return .hides { key in
            owners[Int(key.slot.rawValue)] == own && keeps(key)
        }
    }

    /// Later records are unknown: slots may have moved. The shard goes on at `mark`.
    mutating func forget(at applied: LogPosition, goingOnFrom mark: LogPosition) {
        if case .known(let table) = state {
            last = Known(table: table, until: applied)
            noteGap()
        }
        (state, ahead, newest) = (.unknown(notBefore: mark), nil, nil)
    }

    private mutating func becomeKnown(
        _ table: SlotTable, since last: Known?
    ) -> ShardOwnership.Consequence {
        let isKnownFirst = isFirst && last == nil
        let lastDigest = last.flatMap { digest(in: $0.table) }
        (state, newest, self.last) = (.known(table), nil, nil)
        noteGap()
        // The tier is compared by ``digest``, and begun anew if it is of other slots.
        guard !isKnownFirst else { return .adopts }
        guard let last, let own else { return .hides(keeping: nil) }
        // Nothing has moved: no entry has to be compared, and none loses its place in the log.
        if lastDigest == digest { return .adopts }
        let before = owner(in: last.table)
        return .hides(keeping: Self.kept(last.table, before, table, own, until: last.until))
    }

    /// Which keys stay: those of slots that were this shard's in the first table and are in the
    /// second, with no change between that could have given them away and back. In a new epoch a
    /// change between is unknown, but every entry is hidden until its origin confirms it.
    private static func kept(
        _ old: SlotTable, _ before: SlotOwner?, _ new: SlotTable, _ own: SlotOwner?,
        until: LogPosition
    ) -> (@Sendable (RoutedKey) -> Bool)? {
        guard let before, let own else { return nil }
        let isSameEpoch = new.position.epoch == until.epoch
        return { key in
            let slot = key.slot
            return old[slot] == before && new[slot] == own
                && (!isSameEpoch || new.since[Int(slot.rawValue)] <= until.sequence)
        }
    }
}
