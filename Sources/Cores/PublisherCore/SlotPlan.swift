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

    /// `nil` if the table is as wanted, or nothing leads there: the last members with a weight do
    /// not go.
    ///
    /// - Complexity: O(slots + shards · log shards).
    var change: SlotChange? {
        var draft = Draft(bytesLeft: limits.bytes - SlotRecord.headBytes)
        // Before all of them are in the table their shares are not known.
        guard draft.take(growing) else { return draft.change }
        var assignment = SlotAssignment(table.owners)
        let runs = runs(of: assignment.balance(over: sharers(draft.rows)), in: assignment)
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

    /// New members, and those that differ without losing a shard: as many as a table may have
    /// before others go.
    private var growing: [SlotChange.Row] {
        var members = table.members.count
        var shards = table.members.values.reduce(0) { $0 + Int($1.shardCount) }
        return wanted.sorted { $0.key < $1.key }.compactMap { number, member in
            let known = table.members[number]
            guard known != member, !losesShards(number) else { return nil }
            members += known == nil ? 1 : 0
            shards += Int(member.shardCount) - Int(known?.shardCount ?? 0)
            guard members <= SlotTable.membersMax, shards <= SlotTable.shardsMax else { return nil }
            return SlotChange.Row(number, member)
        }
    }

    /// Members that go, or lose shards.
    private var shrinking: [SlotChange.Row] {
        table.members.keys.filter(losesShards).sorted().map { SlotChange.Row($0, wanted[$0]) }
    }

    private func losesShards(_ number: MemberNumber) -> Bool {
        (table.members[number]?.shardCount ?? 0) > (wanted[number]?.shardCount ?? 0)
    }

    /// Those that share the slots once these rows are in the table.
    private func sharers(_ rows: [SlotChange.Row]) -> [SlotAssignment.Member] {
        let new = Set(rows.map(\.number))
        return wanted.sorted { $0.key < $1.key }.compactMap { number, member in
            guard table.members[number] != nil || new.contains(number) else { return nil }
            return SlotAssignment.Member(
                number: number, shardCount: member.shardCount,
                weight: member.state == .member ? member.weightThousandths : 0)
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
