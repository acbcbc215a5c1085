import CacheModel
import Testing

/// The macros of the tests take no mutating calls.
private func apply(
    _ table: inout SlotTable, _ change: SlotChange, at position: LogPosition
) -> Bool {
    table.apply(change, at: position)
}

/// The table of owners as the sum of slot records: docs/decisions/0120.
@Suite struct SlotTableTests {
    static func position(_ sequence: UInt64, epoch: UInt32 = 1) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }

    static func row(
        _ number: UInt16, shards: UInt8 = 1, state: SlotMember.State = .member
    ) throws -> SlotChange.Row {
        SlotChange.Row(
            MemberNumber(number),
            SlotMember(
                node: try #require(NodeID("n\(number)")), state: state, shardCount: shards,
                weightThousandths: 1_000))
    }

    static func run(
        _ slots: Range<Int>, _ member: UInt16, shard: UInt8 = 0
    ) throws -> SlotChange.Run {
        let first = try #require(HashSlot(slots.lowerBound))
        let owner = SlotOwner(member: MemberNumber(member), shard: shard)
        return try #require(SlotChange.Run(first: first, count: slots.count, owner: owner))
    }

    /// Two members with half of the slots each, by the change at 1:5.
    static func halves() throws -> SlotTable {
        var table = SlotTable(beginningOf: Epoch(1))
        let change = SlotChange(
            rows: [try row(1), try row(2, shards: 2)],
            runs: [try run(0..<8_192, 1), try run(8_192..<16_384, 2, shard: 1)])
        #expect(apply(&table, change, at: position(5)))
        return table
    }

    private func serve(
        _ table: inout SlotTable, below sequence: SequenceNumber, at position: LogPosition
    ) -> Bool {
        table.serve(below: sequence, at: position)
    }

    private func slot(_ number: Int) throws -> HashSlot { try #require(HashSlot(number)) }

    @Test func aSlotIsServedOnceTheRecordBehindItsChangeSaysSo() throws {
        var table = try Self.halves()
        #expect(table[try slot(8_191)]?.member == MemberNumber(1))
        #expect(table[try slot(8_192)]?.shard == 1)
        #expect(try !table.isServed(slot(0)))
        #expect(table.unserved == SequenceNumber(5))
        #expect(serve(&table, below: SequenceNumber(6), at: Self.position(9)))
        #expect(try table.isServed(slot(0)) && table.unserved == nil)
        #expect(table.position == Self.position(9))
    }

    @Test func onlyTheSlotsThatMoveWait() throws {
        var table = try Self.halves()
        _ = serve(&table, below: SequenceNumber(6), at: Self.position(6))
        let move = SlotChange(rows: [], runs: [try Self.run(100..<200, 2)])
        #expect(apply(&table, move, at: Self.position(20)))
        #expect(try table.isServed(slot(99)) && !table.isServed(slot(100)))
        #expect(try !table.isServed(slot(199)) && table.isServed(slot(200)))
        #expect(table.since[100] == SequenceNumber(20) && table.since[99] == SequenceNumber(5))
        #expect(table.unserved == SequenceNumber(20))
        #expect(
            table.runs.map(\.run.slots)
                == [0..<100, 100..<200, 200..<8_192, 8_192..<16_384])
    }

    @Test func aRecordBeforeItsPositionOrOfAnotherEpochChangesNothing() throws {
        var table = try Self.halves()
        let before = table
        let move = SlotChange(rows: [], runs: [try Self.run(0..<1, 2)])
        for position in [Self.position(5), Self.position(4), Self.position(9, epoch: 2)] {
            #expect(!apply(&table, move, at: position))
            #expect(!serve(&table, below: SequenceNumber(1), at: position))
        }
        #expect(!serve(&table, below: SequenceNumber(8), at: Self.position(7)), "it is ahead")
        #expect(table == before)
    }

    /// A table that contradicts itself would answer MOVED with an owner that does not exist.
    @Test func aChangeThatContradictsTheTableChangesNothing() throws {
        var table = try Self.halves()
        let before = table
        let wrong = [
            SlotChange(rows: [], runs: [try Self.run(0..<1, 3)]),
            SlotChange(rows: [], runs: [try Self.run(0..<1, 1, shard: 1)]),
            SlotChange(rows: [SlotChange.Row(MemberNumber(1), nil)], runs: []),
            SlotChange(rows: [try Self.row(2)], runs: []),
            SlotChange(rows: [], runs: [try Self.run(0..<2, 2), try Self.run(1..<3, 1)]),
            SlotChange(
                rows: [SlotChange.Row(MemberNumber(7), before.members[MemberNumber(1)])], runs: []),
            SlotChange(rows: try (10..<26).map { try Self.row($0, shards: 64) }, runs: []),
        ]
        for change in wrong { #expect(!apply(&table, change, at: Self.position(9))) }
        #expect(table == before)
    }

    @Test func aMemberGoesWithTheChangeThatTakesItsLastSlots() throws {
        var table = try Self.halves()
        let change = SlotChange(
            rows: [SlotChange.Row(MemberNumber(1), nil)], runs: [try Self.run(0..<8_192, 2)])
        #expect(apply(&table, change, at: Self.position(9)))
        #expect(table.members.keys.sorted() == [MemberNumber(2)])
    }

    @Test func inANewEpochTheOwnersStayAndNoneAnswers() throws {
        var table = try Self.halves()
        _ = serve(&table, below: SequenceNumber(6), at: Self.position(6))
        var next = table.begun(in: Epoch(4))
        #expect(next.owners == table.owners && next.members == table.members)
        #expect(next.position == Self.position(0, epoch: 4))
        #expect(try !next.isServed(slot(0)) && next.unserved == SequenceNumber.none)
        #expect(serve(&next, below: SequenceNumber(1), at: Self.position(1, epoch: 4)))
        #expect(try next.isServed(slot(0)))
    }

    /// Every sequence of four records out of eight on four slots at a time gives the table that its
    /// last writer of each slot gives.
    @Test func theTableIsTheSumOfItsRecords() throws {
        let start = try Self.halves()
        var moves: [SlotChange.Run] = []
        for first in 0..<4 {
            moves.append(try Self.run(first..<4, 2))
            moves.append(try Self.run(0..<first + 1, 1))
        }
        var wrong: [Int] = []
        for code in 0..<4_096 {
            var table = start
            var owners = Array(repeating: MemberNumber(1), count: 4)
            var since = Array(repeating: SequenceNumber(5), count: 4)
            for step in 0..<4 {
                let move = moves[code >> (3 * step) & 7]
                let position = Self.position(UInt64(10 + step))
                _ = apply(&table, SlotChange(rows: [], runs: [move]), at: position)
                for slot in move.slots {
                    (owners[slot], since[slot]) = (move.owner.member, position.sequence)
                }
            }
            let isRight =
                table.owners.prefix(4).map { $0?.member } == owners
                && Array(table.since.prefix(4)) == since
            if !isRight { wrong.append(code) }
        }
        #expect(wrong.isEmpty, "\(wrong.count), the first \(wrong.prefix(3))")
    }
}
