import ByteCoding
package import CacheModel

extension SlotRecord {
    /// The most bytes of one.
    package static var bytesMax: Int { 65_400 }
    /// Those before its rows.
    package static var headBytes: Int { 16 }

    private enum Operation: UInt8 {
        case change = 1
        case served = 2
    }

    /// What stands in place of a name in a scope of slots:
    ///
    ///     offset  size  field
    ///          0     1  operation   1 change, 2 served
    ///          1     1  reserved
    ///          2     2  rows
    ///          4     2  runs
    ///          6     2  reserved
    ///          8     8  digest      of a change; served: the new *served below*
    ///         16     …  rows, then runs
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireRefusal) {
        guard bytes.count <= Self.bytesMax else {
            throw WireRefusal(.outOfRange, "a record of slots has at most 65400 bytes")
        }
        var reader = ByteReader(bytes)
        let operation: Operation = try reader.known(or: "what a record says of slots is not known")
        try reader.reserved(1)
        let rowCount = Int(try reader.next(UInt16.self))
        let runCount = Int(try reader.next(UInt16.self))
        try reader.reserved(2)
        switch operation {
        case .change:
            let digest = try reader.next(UInt64.self)
            self = .change(try SlotChange(&reader, rowCount, runCount), digest: digest)
        case .served:
            guard rowCount == 0, runCount == 0 else { throw .reserved }
            self = .served(below: try reader.sequence())
        }
        try reader.expectEnd()
    }

    /// The bytes that ``init(decoding:)`` reads.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .change(let change, let digest):
            Self.begin(.change, change.rows.count, change.runs.count, digest, &writer)
            for row in change.rows { writer.append(row) }
            for run in change.runs { writer.append(run) }
        case .served(let below): Self.begin(.served, 0, 0, below.rawValue, &writer)
        }
        return writer.array
    }

    private static func begin(
        _ operation: Operation, _ rows: Int, _ runs: Int, _ word: UInt64,
        _ writer: inout ByteWriter
    ) {
        writer.append(operation.rawValue)
        writer.append(UInt8(0))
        writer.append(UInt16(rows))
        writer.append(UInt16(runs))
        writer.append(UInt16(0))
        writer.append(word)
    }
}

extension SlotChange.Row {
    /// Its bytes in a record.
    package var encodedBytes: Int { 9 + (member?.node.name.utf8.count ?? 0) }
}

extension SlotChange.Run {
    /// Its bytes in a record.
    package static var encodedBytes: Int { 8 }
}

extension SlotChange {
    fileprivate init(
        _ reader: inout ByteReader, _ rowCount: Int, _ runCount: Int
    ) throws(WireRefusal) {
        guard rowCount <= SlotTable.membersMax, runCount <= Self.runsMax else {
            throw WireRefusal(.outOfRange, "a record of slots has at most 1000 rows and 8000 runs")
        }
        var rows: [Row] = []
        for _ in 0..<rowCount { rows.append(try reader.slotRow(after: rows.last?.number)) }
        var runs: [Run] = []
        for _ in 0..<runCount {
            runs.append(try reader.slotRun(after: runs.last?.slots.upperBound ?? 0))
        }
        self.init(rows: rows, runs: runs)
    }
}

extension ByteReader {
    /// A row: number 2, state 1 (0: it is no member any more), shards 1, weight 4, id bytes 1, id.
    ///
    /// - Parameter last: the number of the row before; `nil`: there is none.
    mutating func slotRow(after last: MemberNumber?) throws(WireRefusal) -> SlotChange.Row {
        let number = MemberNumber(try next(UInt16.self))
        guard last.map({ $0 < number }) ?? true else {
            throw WireRefusal(.malformed, "the members of slots do not ascend")
        }
        let state = try next(UInt8.self)
        let shards = try next(UInt8.self)
        let weight = try next(UInt32.self)
        let idBytes = Int(try next(UInt8.self))
        guard state != 0 else {
            guard shards == 0, weight == 0, idBytes == 0 else { throw .reserved }
            return SlotChange.Row(number, nil)
        }
        guard let state = SlotMember.State(rawValue: state) else {
            throw WireRefusal(.malformed, "the state of a member is not known")
        }
        guard (1...WireLimits.shardsPerNodeMax).contains(Int(shards)) else {
            throw WireRefusal(.outOfRange, "a member has 1 to 64 shards")
        }
        return SlotChange.Row(
            number,
            SlotMember(
                node: try nodeID(idBytes), state: state, shardCount: shards,
                weightThousandths: weight))
    }

    /// A run: first slot 2, slots 2, member 2, shard 1, reserved 1.
    ///
    /// - Parameter end: the slot after the run before.
    mutating func slotRun(after end: Int) throws(WireRefusal) -> SlotChange.Run {
        let first = Int(try next(UInt16.self))
        let count = Int(try next(UInt16.self))
        let member = MemberNumber(try next(UInt16.self))
        let owner = SlotOwner(member: member, shard: try next(UInt8.self))
        try reserved(1)
        guard first >= end, let slot = HashSlot(first),
            let run = SlotChange.Run(first: slot, count: count, owner: owner)
        else {
            throw WireRefusal(.malformed, "runs of slots do not ascend, or end behind the last")
        }
        return run
    }
}

extension ByteWriter {
    mutating func append(_ row: SlotChange.Row) {
        append(row.number.rawValue)
        append(row.member?.state.rawValue ?? 0)
        append(row.member?.shardCount ?? 0)
        append(row.member?.weightThousandths ?? 0)
        append(shortBytes: row.member.map { Array($0.node.name.utf8) } ?? [])
    }

    mutating func append(_ run: SlotChange.Run) {
        append(run.first.rawValue)
        append(UInt16(run.count))
        append(run.owner.member.rawValue)
        append(run.owner.shard)
        append(UInt8(0))
    }
}
