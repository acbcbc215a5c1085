import CacheModel
import CacheWire
import Testing

/// Records and tables of slots as bytes: docs/decisions/0120.
@Suite struct SlotCodingTests {
    private func row(_ number: UInt16, _ id: String) throws -> SlotChange.Row {
        SlotChange.Row(
            MemberNumber(number),
            SlotMember(
                node: try #require(NodeID(id)), state: .member, shardCount: 2,
                weightThousandths: 1_000))
    }

    private func run(_ slots: Range<Int>, _ member: UInt16) throws -> SlotChange.Run {
        let first = try #require(HashSlot(slots.lowerBound))
        let owner = SlotOwner(member: MemberNumber(member), shard: 1)
        return try #require(SlotChange.Run(first: first, count: slots.count, owner: owner))
    }

    private func change() throws -> SlotChange {
        SlotChange(
            rows: [try row(1, "n1"), try row(300, "two"), SlotChange.Row(MemberNumber(301), nil)],
            runs: [try run(0..<8_192, 1), try run(8_192..<16_384, 300)])
    }

    private func decoded(_ bytes: [UInt8]) throws -> SlotRecord {
        try bytes.withUnsafeBytes { try SlotRecord(decoding: $0) }
    }

    private func table(_ bytes: [UInt8]) throws -> SlotTable {
        try bytes.withUnsafeBytes { try SlotTable(decoding: $0) }
    }

    private func position(_ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(7), sequence: SequenceNumber(sequence))
    }

    private func apply(
        _ table: inout SlotTable, _ change: SlotChange, at position: LogPosition
    ) -> Bool {
        table.apply(change, at: position)
    }

    private func serve(
        _ table: inout SlotTable, below sequence: SequenceNumber, at position: LogPosition
    ) -> Bool {
        table.serve(below: sequence, at: position)
    }

    private func fold(
        _ table: inout SlotTable, _ record: SlotRecord, at position: LogPosition
    ) -> Bool {
        table.fold(record, at: position)
    }

    @Test func theBytesOfARecordAreTheseAndNoOthers() throws {
        let record = SlotRecord.change(try change(), digest: 0x0807_0605_0403_0201)
        let bytes: [UInt8] = [
            1, 0, 3, 0, 2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
            1, 0, 1, 2, 0xE8, 3, 0, 0, 2, 0x6E, 0x31,
            0x2C, 1, 1, 2, 0xE8, 3, 0, 0, 3, 0x74, 0x77, 0x6F,
            0x2D, 1, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0x20, 1, 0, 1, 0,
            0, 0x20, 0, 0x20, 0x2C, 1, 1, 0,
        ]
        #expect(record.encoded == bytes)
        #expect(try decoded(bytes) == record)
        let served = SlotRecord.served(below: SequenceNumber(6))
        #expect(served.encoded == [2, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0])
        #expect(try decoded(served.encoded) == served)
    }

    @Test func aRecordThatIsCutOrChangedInItsFormIsRefused() throws {
        let bytes = SlotRecord.change(try change(), digest: 9).encoded
        for count in 0..<bytes.count {
            #expect(throws: WireRefusal.self) { try decoded(Array(bytes.prefix(count))) }
        }
        #expect(throws: WireRefusal.self) { try decoded(bytes + [0]) }
        let wrong: [(offset: Int, value: UInt8)] = [
            (0, 3), (1, 1), (6, 1), (18, 3), (19, 0), (19, 65), (41, 1), (43, 1), (51, 0), (55, 1),
            (57, 0), (59, 0x40), (63, 1),
        ]
        for (offset, value) in wrong {
            var bytes = bytes
            bytes[offset] = value
            #expect(throws: WireRefusal.self, "\(offset)") { try decoded(bytes) }
        }
    }

    @Test func aLongestRecordFits() throws {
        let runs = try (0..<SlotChange.runsMax).map { try run(2 * $0..<2 * $0 + 1, 1) }
        let record = SlotRecord.change(SlotChange(rows: [try row(1, "n1")], runs: runs), digest: 1)
        #expect(record.encoded.count <= SlotRecord.bytesMax)
        #expect(try decoded(record.encoded) == record)
    }

    @Test func aChangeCountsOnlyWithThePublishersDigest() throws {
        let start = SlotTable(beginningOf: Epoch(7))
        var after = start
        #expect(apply(&after, try change(), at: position(3)))
        var table = start
        let wrong = SlotRecord.change(try change(), digest: after.digest ^ 1)
        #expect(!fold(&table, wrong, at: position(3)))
        #expect(table == start)
        #expect(fold(&table, .change(try change(), digest: after.digest), at: position(3)))
        #expect(table == after)
        #expect(fold(&table, .served(below: SequenceNumber(4)), at: position(4)))
        #expect(table.digest == after.digest, "what is served is not in it")
    }

    @Test func aTableIsReadAsItWasStored() throws {
        var table = SlotTable(beginningOf: Epoch(7))
        #expect(try self.table(table.encoded) == table)
        #expect(apply(&table, try change(), at: position(3)))
        #expect(serve(&table, below: SequenceNumber(4), at: position(4)))
        #expect(apply(&table, SlotChange(rows: [], runs: [try run(5..<6, 300)]), at: position(8)))
        #expect(try self.table(table.encoded) == table)
        let bytes = table.encoded
        for count in 0..<bytes.count {
            #expect(throws: WireRefusal.self) { try self.table(Array(bytes.prefix(count))) }
        }
    }

    /// A *since* or a served position behind the table's own, and an owner that is no member.
    @Test func aTableThatContradictsItselfIsRefused() throws {
        var table = SlotTable(beginningOf: Epoch(7))
        #expect(apply(&table, try change(), at: position(3)))
        let bytes = table.encoded
        for (offset, value) in [(12, 4), (bytes.count - 8, 4), (bytes.count - 11, 9)] {
            var wrong = bytes
            wrong[offset] = UInt8(value)
            #expect(throws: WireRefusal.self) { try self.table(wrong) }
        }
    }
}
