import ByteCoding
package import CacheModel

extension SlotTable {
    /// The digest of members and owners, without *since*: equal in every process with this table.
    ///
    /// - Complexity: O(slots + members).
    package var digest: UInt64 {
        var writer = ByteWriter()
        for row in rows { writer.append(row) }
        for owner in owners {
            writer.append(owner?.member.rawValue ?? .max)
            writer.append(owner?.shard ?? .max)
        }
        return StableHash.hash(writer.array)
    }

    /// The digest of the slots of one shard, and of since when it owns each.
    ///
    /// - Complexity: O(slots).
    package func digest(ofSlotsOf owner: SlotOwner) -> UInt64 {
        var writer = ByteWriter()
        writer.append(position.epoch.rawValue)
        for slot in owners.indices where owners[slot] == owner {
            writer.append(UInt16(slot))
            writer.append(since[slot].rawValue)
        }
        return StableHash.hash(writer.array)
    }

    /// The members, ascending by number.
    package var rows: [SlotChange.Row] {
        members.sorted { $0.key < $1.key }.map { SlotChange.Row($0.key, $0.value) }
    }

    /// A slot record of the log at this position.
    ///
    /// - Returns: `false` if this is not the table that the publisher had. The owners of keys are
    ///   unknown then, and the table is as before.
    package mutating func fold(_ record: SlotRecord, at position: LogPosition) -> Bool {
        switch record {
        case .served(let below): return serve(below: below, at: position)
        case .change(let change, let digest):
            var next = self
            guard next.apply(change, at: position), next.digest == digest else { return false }
            self = next
            return true
        }
    }

    /// All of it, as it is stored:
    ///
    ///     offset  size  field
    ///          0     4  epoch
    ///          4     8  sequence     of its newest slot record
    ///         12     8  served below
    ///         20     2  members
    ///         22     2  runs
    ///         24     …  rows, as in a record; runs, each as in a record and *since* 8
    package var encoded: [UInt8] {
        let (rows, runs) = (rows, runs)
        var writer = ByteWriter()
        writer.append(position)
        writer.append(servedBelow.rawValue)
        writer.append(UInt16(rows.count))
        writer.append(UInt16(runs.count))
        for row in rows { writer.append(row) }
        for (run, since) in runs {
            writer.append(run)
            writer.append(since.rawValue)
        }
        return writer.array
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(bytes)
        let position = try reader.position()
        let servedBelow = try reader.sequence()
        let rowCount = Int(try reader.next(UInt16.self))
        let runCount = Int(try reader.next(UInt16.self))
        guard rowCount <= Self.membersMax, runCount <= HashSlot.count else {
            throw WireRefusal(.outOfRange, "a table of slots has at most 1000 members")
        }
        var rows: [SlotChange.Row] = []
        for _ in 0..<rowCount { rows.append(try reader.slotRow(after: rows.last?.number)) }
        var runs: [(run: SlotChange.Run, since: SequenceNumber)] = []
        for _ in 0..<runCount {
            let run = try reader.slotRun(after: runs.last?.run.slots.upperBound ?? 0)
            runs.append((run, try reader.sequence()))
        }
        try reader.expectEnd()
        guard
            let table = SlotTable(
                at: position, servedBelow: servedBelow, rows: rows, runs: runs)
        else { throw WireRefusal(.malformed, "a table of slots contradicts itself") }
        self = table
    }
}
