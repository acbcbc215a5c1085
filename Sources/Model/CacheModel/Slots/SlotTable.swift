/// Which shard owns each slot, as of a position of the log: the sum of its slot records up to
/// there.
///
///     CHANGE at p ─▶ other owners, *since* p       SERVED ─▶ *since* below it: they answer
///
/// The position of its newest slot record names a table: two tables of one log and one position are
/// equal. docs/decisions/0120 gives the reasons.
package struct SlotTable: Hashable, Sendable {
    /// The most members, and the most shards of all of them.
    package static let membersMax = 1_000
    package static let shardsMax = 1_024

    /// Its newest slot record; sequence 0: the beginning of the epoch.
    package private(set) var position: LogPosition
    /// A slot is served if its *since* is below this.
    package private(set) var servedBelow: SequenceNumber
    package private(set) var members: [MemberNumber: SlotMember]
    /// By slot; `nil`: none yet.
    package private(set) var owners: [SlotOwner?]
    /// By slot: the sequence, in this epoch, of the change that gave it to its owner. What the
    /// owner filled before it is of an earlier ownership, and other shards may have stored since.
    package private(set) var since: [SequenceNumber]

    /// The table without members, at the beginning of an epoch.
    package init(beginningOf epoch: Epoch) {
        position = LogPosition(epoch: epoch, sequence: .none)
        servedBelow = .none
        members = [:]
        owners = Array(repeating: nil, count: HashSlot.count)
        since = Array(repeating: .none, count: HashSlot.count)
    }

    /// A table as it was stored or sent.
    ///
    /// - Parameter runs: with the *since* of each; ascending, without overlaps.
    /// - Returns: `nil` if a row or a run contradicts another, a bound, or the position.
    package init?(
        at position: LogPosition, servedBelow: SequenceNumber, rows: [SlotChange.Row],
        runs: [(run: SlotChange.Run, since: SequenceNumber)]
    ) {
        self.init(beginningOf: position.epoch)
        guard runs.allSatisfy({ $0.since <= position.sequence }),
            servedBelow <= position.sequence,
            rows.allSatisfy({ $0.member != nil }),
            replace(SlotChange(rows: rows, runs: runs.map(\.run)), at: position)
        else { return nil }
        self.servedBelow = servedBelow
        for (run, sequence) in runs {
            for slot in run.slots { since[slot] = sequence }
        }
    }

    // MARK: Reading

    package subscript(slot: HashSlot) -> SlotOwner? { owners[Int(slot.rawValue)] }

    /// Whether any slot has an owner. Once one has, all have.
    package var hasOwners: Bool { owners.contains { $0 != nil } }

    /// Whether the owner of the slot answers for it.
    package func isServed(_ slot: HashSlot) -> Bool {
        self[slot] != nil && since[Int(slot.rawValue)] < servedBelow
    }

    /// The change after which every slot may be served, once each node knows it; `nil` if all that
    /// have an owner are.
    ///
    /// - Complexity: O(slots).
    package var unserved: SequenceNumber? {
        let latest = zip(owners, since).filter { $0.0 != nil }.map(\.1).max()
        return latest.flatMap { $0 < servedBelow ? nil : $0 }
    }

    /// The owned slots, in runs of one owner and one *since*, ascending.
    ///
    /// - Complexity: O(slots).
    package var runs: [(run: SlotChange.Run, since: SequenceNumber)] {
        var runs: [(run: SlotChange.Run, since: SequenceNumber)] = []
        var first = 0
        for slot in owners.indices.dropFirst() + [owners.count] {
            if slot < owners.count, owners[slot] == owners[first], since[slot] == since[first] {
                continue
            }
            if let owner = owners[first], let start = HashSlot(first),
                let run = SlotChange.Run(first: start, count: slot - first, owner: owner)
            {
                runs.append((run, since[first]))
            }
            first = slot
        }
        return runs
    }

    // MARK: Folding records in

    /// A change of the log at this position.
    ///
    /// - Returns: `false` if it is not a change of this table: nothing has changed then.
    /// - Complexity: O(slots that move + members).
    package mutating func apply(_ change: SlotChange, at position: LogPosition) -> Bool {
        guard position.epoch == self.position.epoch, position > self.position else { return false }
        return replace(change, at: position)
    }

    /// From this record on the owners of slots with a lower *since* answer.
    ///
    /// - Returns: `false` if it is not of this table: nothing has changed then.
    package mutating func serve(below sequence: SequenceNumber, at position: LogPosition) -> Bool {
        guard position.epoch == self.position.epoch, position > self.position,
            sequence <= position.sequence
        else { return false }
        self.position = position
        servedBelow = max(servedBelow, sequence)
        return true
    }

    /// The same owners in a later epoch. None answers yet, and nothing that any of them filled
    /// before counts: every node hides it.
    package func begun(in epoch: Epoch) -> SlotTable {
        var table = self
        table.position = LogPosition(epoch: epoch, sequence: .none)
        table.servedBelow = .none
        table.since = Array(repeating: .none, count: HashSlot.count)
        return table
    }

    private mutating func replace(_ change: SlotChange, at position: LogPosition) -> Bool {
        var members = members
        for row in change.rows { members[row.number] = row.member }
        guard Self.areBounded(members), Self.isAscending(change.runs),
            change.runs.allSatisfy({ run in
                members[run.owner.member].map { run.owner.shard < $0.shardCount } ?? false
            })
        else { return false }
        var owners = owners
        for run in change.runs {
            for slot in run.slots { owners[slot] = run.owner }
        }
        let shrinks = change.rows.contains {
            $0.member?.shardCount ?? 0 < self.members[$0.number]?.shardCount ?? 0
        }
        guard !shrinks || Self.allExist(owners, among: members) else { return false }
        for run in change.runs {
            for slot in run.slots { since[slot] = position.sequence }
        }
        (self.members, self.owners, self.position) = (members, owners, position)
        return true
    }

    private static func areBounded(_ members: [MemberNumber: SlotMember]) -> Bool {
        members.count <= membersMax
            && members.values.reduce(0) { $0 + Int($1.shardCount) } <= shardsMax
            && Set(members.values.map(\.node)).count == members.count
    }

    private static func isAscending(_ runs: [SlotChange.Run]) -> Bool {
        zip(runs, runs.dropFirst()).allSatisfy { $0.slots.upperBound <= $1.slots.lowerBound }
    }

    /// A member may not go, or lose shards, while it owns slots there.
    private static func allExist(
        _ owners: [SlotOwner?], among members: [MemberNumber: SlotMember]
    ) -> Bool {
        owners.allSatisfy { owner in
            guard let owner else { return true }
            return members[owner.member].map { owner.shard < $0.shardCount } ?? false
        }
    }
}
