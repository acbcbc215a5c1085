import CacheModel
import CacheWire

/// The next change that leads from a table to wanted members, each with its share of the slots.
///
///     rows of new members ─▶ slots that move ─▶ rows that lose shards, or go
///
/// A change fits into one record. If all of it does not, the first part does, and the rest follows
/// from the table after it: rows that own nothing come first, and no row goes before its slots.
struct SlotPlan {
    private let table: SlotTable
    private let wanted: [MemberNumber: SlotMember]
    private let limits: Limits

    /// Of one record.
    struct Limits {
        var bytes = SlotRecord.bytesMax
        var runs = SlotChange.runsMax
    }

    /// - Parameter wanted: within the bounds of a table; each node once.
    init(from table: SlotTable, to wanted: [SlotMember], limits: Limits = Limits()) {
        self.table = table
        self.limits = limits
        self.wanted = Self.numbered(wanted, in: table)
    }

    /// A node keeps its number; a new one gets the smallest that is free.
    private static func numbered(
        _ members: [SlotMember], in table: SlotTable
    ) -> [MemberNumber: SlotMember] {
        let known = Dictionary(
            table.members.map { ($1.node, $0) }, uniquingKeysWith: { first, _ in first })
        var numbered: [MemberNumber: SlotMember] = [:]
        var free = (UInt16.min...UInt16.max).lazy.map(MemberNumber.init)
            .filter { table.members[$0] == nil }.makeIterator()
        for member in members {
            if let number = known[member.node] ?? free.next() { numbered[number] = member }
        }
        return numbered
    }

    /// `nil` if the table is as wanted, as far as it can be: slots stay where they are while no
    /// wanted member has a weight, and so do the rows of their owners.
    ///
    /// - Complexity: O(slots + shards · log shards).
    var change: SlotChange? {
        var draft = Draft(bytesLeft: limits.bytes - SlotRecord.headBytes)
        let (growing, isCrowded) = growing
        // All new members must be in the table before slots move.
        guard draft.take(growing) else { return draft.change }
        var sharers = sharers(draft.rows)
        if isCrowded, !sharers.contains(where: { $0.weight > 0 }) { sharers = interim }
        var assignment = SlotAssignment(table.owners)
        let runs = runs(of: assignment.balance(over: sharers), in: assignment)
        guard draft.take(runs, atMost: limits.runs) else { return draft.change }
        let holders = Set(assignment.owners.compactMap(\.self))
        _ = draft.take(
            shrinking.filter { row in
                !holders.contains {
                    $0.member == row.number && $0.shard >= row.member?.shardCount ?? 0
                }
            })
        return draft.change
    }

    /// New members, and those that differ without losing a shard: as many as the table has room for
    /// before others go; and whether some have to wait for that.
    private var growing: (rows: [SlotChange.Row], isCrowded: Bool) {
        var members = table.members.count
        var shards = table.members.values.reduce(0) { $0 + Int($1.shardCount) }
        var (rows, isCrowded): ([SlotChange.Row], Bool) = ([], false)
        for (number, member) in wanted.sorted(by: { $0.key < $1.key }) {
            let known = table.members[number]
            guard known != member, !losesShards(number) else { continue }
            let moreShards = Int(member.shardCount) - Int(known?.shardCount ?? 0)
            let moreMembers = known == nil ? 1 : 0
            guard members + moreMembers <= SlotTable.membersMax,
                shards + moreShards <= SlotTable.shardsMax
            else {
                isCrowded = true
                continue
            }
            (members, shards) = (members + moreMembers, shards + moreShards)
            rows.append(SlotChange.Row(number, member))
        }
        return (rows, isCrowded)
    }

    /// Half of the old members, where all of them go and no new one has room: they share the slots
    /// until the others have gone.
    private var interim: [SlotAssignment.Member] {
        let old = table.members.sorted { $0.key < $1.key }
        return old.suffix(max(1, old.count / 2)).map { number, member in
            SlotAssignment.Member(number: number, shardCount: member.shardCount, weight: 1)
        }
    }

    /// Members that go, or lose shards.
    private var shrinking: [SlotChange.Row] {
        table.members.keys.filter(losesShards).sorted().map { SlotChange.Row($0, wanted[$0]) }
    }

    private func losesShards(_ number: MemberNumber) -> Bool {
        (table.members[number]?.shardCount ?? 0) > (wanted[number]?.shardCount ?? 0)
    }

    /// Those that share the slots once these rows are in the table, with the shards that they have
    /// in it by then.
    private func sharers(_ rows: [SlotChange.Row]) -> [SlotAssignment.Member] {
        var shards = table.members.mapValues(\.shardCount)
        for row in rows { shards[row.number] = row.member?.shardCount }
        return wanted.sorted { $0.key < $1.key }.compactMap { number, member in
            shards[number].map { known in
                SlotAssignment.Member(
                    number: number, shardCount: min(known, member.shardCount),
                    weight: member.state == .member ? member.weightThousandths : 0)
            }
        }
    }

    /// Slots with their new owners.
    ///
    /// - Parameter slots: ascending.
    private func runs(of slots: [Int], in assignment: SlotAssignment) -> [SlotChange.Run] {
        var runs: [SlotChange.Run] = []
        for slot in slots {
            guard let owner = assignment.owners[slot], let first = HashSlot(slot) else { continue }
            if let last = runs.last, last.slots.upperBound == slot, last.owner == owner,
                let longer = SlotChange.Run(first: last.first, count: last.count + 1, owner: owner)
            {
                runs[runs.count - 1] = longer
            } else if let run = SlotChange.Run(first: first, count: 1, owner: owner) {
                runs.append(run)
            }
        }
        return runs
    }

    /// What has been taken into the change, within the bytes of a record.
    private struct Draft {
        var bytesLeft: Int
        private(set) var rows: [SlotChange.Row] = []
        private var runs: [SlotChange.Run] = []

        init(bytesLeft: Int) { self.bytesLeft = bytesLeft }

        /// - Returns: whether all fit.
        mutating func take(_ candidates: [SlotChange.Row]) -> Bool {
            for row in candidates {
                guard row.encodedBytes <= bytesLeft else { return false }
                bytesLeft -= row.encodedBytes
                rows.append(row)
            }
            return true
        }

        /// - Returns: whether all fit.
        mutating func take(_ candidates: [SlotChange.Run], atMost most: Int) -> Bool {
            runs = Array(candidates.prefix(min(most, bytesLeft / SlotChange.Run.encodedBytes)))
            bytesLeft -= runs.count * SlotChange.Run.encodedBytes
            return runs.count == candidates.count
        }

        var change: SlotChange? {
            guard !rows.isEmpty || !runs.isEmpty else { return nil }
            return SlotChange(rows: rows.sorted { $0.number < $1.number }, runs: runs)
        }
    }
}
