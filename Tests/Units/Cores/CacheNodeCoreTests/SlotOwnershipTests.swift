import CacheMemory
import CacheModel
import CacheWire
import TestSupport
import Testing

@testable import CacheNodeCore

/// The slots of one shard, whatever it hears of the log, and in which order.
@Suite struct SlotOwnershipTests {
    /// A log of slot records and others, and the table at each position.
    private struct Log {
        private(set) var tables: [SlotTable]
        private(set) var records: [SlotRecord?] = [nil]
        let epoch: Epoch

        init(epoch: Epoch = Epoch(1), from table: SlotTable? = nil) {
            self.epoch = epoch
            tables = [table?.begun(in: epoch) ?? SlotTable(beginningOf: epoch)]
        }

        var head: Int { tables.count - 1 }
        var table: SlotTable { tables[head] }

        func position(_ number: Int) -> LogPosition {
            LogPosition(epoch: epoch, sequence: SequenceNumber(UInt64(number)))
        }

        mutating func appendOther() {
            tables.append(table)
            records.append(nil)
        }

        mutating func append(_ record: SlotRecord) {
            var next = table
            let isFolded = next.fold(record, at: position(head + 1))
            #expect(isFolded)
            tables.append(next)
            records.append(record)
        }

        /// Gives slots to a node, which is a member from then on.
        mutating func give(
            _ slots: Range<Int>, to node: String, number: UInt16, shard: UInt8 = 0
        ) throws {
            let member = SlotMember(
                node: try #require(NodeID(node)), state: .member, shardCount: 2,
                weightThousandths: 1_000)
            let owner = SlotOwner(member: MemberNumber(number), shard: shard)
            let first = try #require(HashSlot(slots.lowerBound))
            let run = try #require(
                SlotChange.Run(first: first, count: slots.count, owner: owner))
            let row = SlotChange.Row(MemberNumber(number), member)
            let rows = table.members[MemberNumber(number)] == nil ? [row] : []
            let change = SlotChange(rows: rows, runs: [run])
            var next = table
            _ = next.apply(change, at: position(head + 1))
            append(.change(change, digest: next.digest))
        }

        mutating func serve() {
            guard let unserved = table.unserved else { return appendOther() }
            append(.served(below: SequenceNumber(unserved.rawValue + 1)))
        }
    }

    /// A shard of node n1 that applies records, jumps over some, and gets reports.
    private struct Shard {
        var ownership: SlotOwnership
        var applied: Int
        /// By slot: entries by the position at which they were filled, as long as they are visible.
        var entries: [Int: Set<Int>] = [:]
        let key: [[UInt8]]

        init(notBefore: LogPosition, applied: Int, keys: [[UInt8]]) throws {
            ownership = SlotOwnership(
                node: try #require(NodeID("n1")), shard: ShardIndex(0), notBefore: notBefore)
            self.applied = applied
            key = keys
        }

        private mutating func obey(_ consequence: ShardOwnership.Consequence) {
            let keeps: (@Sendable (RoutedKey) -> Bool)?
            switch consequence {
            case .none, .adopts: return
            case .hides(let kept): keeps = kept
            case .moves(let kept): keeps = kept
            }
            entries = entries.filter { slot, _ in
                key[slot].withUnsafeBytes { bytes in
                    [UInt8]("default".utf8).withUnsafeBytes { name in
                        keeps?(RoutedKey(bytes, in: name)) ?? false
                    }
                }
            }
        }

        mutating func apply(_ log: Log) {
            if let record = log.records[applied + 1] {
                let change = ownership.apply(
                    record, at: log.position(applied + 1), before: log.position(applied))
                obey(change.consequence)
            }
            applied += 1
        }

        mutating func jump(to number: Int, _ log: Log) {
            ownership.forget(at: log.position(applied), goingOnFrom: log.position(number))
            applied = number
        }

        mutating func hear(_ asOf: Int, _ log: Log) {
            obey(
                ownership.report(
                    log.tables[asOf], version: UInt32(asOf), asOf: log.position(asOf),
                    at: log.position(applied)))
        }

        mutating func tick(_ log: Log) { obey(ownership.reconcile(at: log.position(applied))) }
    }

    /// A few keys, each of another slot.
    private static let keys: [[UInt8]] = (0..<8).map { [UInt8]("key\($0)".utf8) }
    private static let slots = keys.map { key in
        Int(key.withUnsafeBytes { HashSlot(of: $0) }.rawValue)
    }

    private func check(_ shard: Shard, _ log: Log) {
        let table = log.tables[shard.applied]
        let own = table.members.first { $0.value.node.name == "n1" }.map {
            SlotOwner(member: $0.key, shard: 0)
        }
        for (index, number) in Self.slots.enumerated() {
            guard let slot = HashSlot(number) else { continue }
            let isAnswered = shard.ownership.answers(slot)
            #expect(!isAnswered || table[slot] == own && table.isServed(slot))
            for filled in shard.entries[index] ?? [] where isAnswered {
                #expect(
                    table.since[number] <= SequenceNumber(UInt64(filled)),
                    "an entry of an earlier ownership is shown")
            }
        }
    }

    /// Chooses what happens next.
    private func step(
        _ log: inout Log, _ shard: inout Shard, _ dice: inout SeededGenerator
    ) throws {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0:
            let number = UInt16.random(in: 1...3, using: &dice)
            let first = Int.random(in: 0..<16_384, using: &dice)
            let last = Int.random(in: first..<16_384, using: &dice)
            try log.give(first..<(last + 1), to: "n\(number)", number: number)
        case 1: log.serve()
        case 2: log.appendOther()
        case 3...5: if shard.applied < log.head { shard.apply(log) }
        case 6: shard.hear(Int.random(in: 0...log.head, using: &dice), log)
        case 7:
            let target = Int.random(in: shard.applied...log.head, using: &dice)
            if Bool.random(using: &dice) { shard.jump(to: target, log) }
        case 8: shard.tick(log)
        default:
            for (index, number) in Self.slots.enumerated() {
                guard let slot = HashSlot(number), shard.ownership.answers(slot) else { continue }
                shard.entries[index, default: []].insert(shard.applied)
            }
        }
    }

    @Test(arguments: 0..<40)
    func whateverItHearsItAnswersByTheTableOfItsPositionOrNotAtAll(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var log = Log()
        var shard = try Shard(notBefore: .none, applied: 0, keys: Self.keys)
        for _ in 0..<400 {
            try step(&log, &shard, &dice)
            check(shard, log)
        }
        // What it missed is reported once more: then it answers.
        while shard.applied < log.head { shard.apply(log) }
        shard.hear(log.head, log)
        let table = log.table
        for number in Self.slots {
            guard let slot = HashSlot(number) else { continue }
            let isOwn = table[slot].flatMap { table.members[$0.member] }?.node.name == "n1"
            #expect(shard.ownership.answers(slot) == (isOwn && table.isServed(slot)))
        }
    }

    private func served() throws -> (log: Log, shard: Shard) {
        var log = Log()
        try log.give(0..<16_384, to: "n1", number: 1)
        log.serve()
        var shard = try Shard(notBefore: .none, applied: log.head, keys: Self.keys)
        shard.hear(log.head, log)
        return (log, shard)
    }

    @Test func aReadNeedsNoCheckIfItWasRoutedByTheTableInForceAndAllIsServed() throws {
        var (log, shard) = try served()
        #expect(shard.ownership.trusted == 2)
        #expect(!shard.ownership.isReportOutdated)
        try log.give(0..<100, to: "n2", number: 2)
        shard.apply(log)
        #expect(shard.ownership.trusted == nil && shard.ownership.isReportOutdated)
        shard.hear(log.head, log)
        #expect(shard.ownership.trusted == nil, "not all is served")
        log.serve()
        shard.apply(log)
        shard.hear(log.head, log)
        #expect(shard.ownership.trusted == 4)
    }

    /// It takes the queued writes of the owner directly before it: docs/decisions/0122.
    @Test func anOwnerKnowsWhichOwnershipItsOwnFollowed() throws {
        var (log, shard) = try served()
        let slot = try #require(HashSlot(5))
        let first = log.position(1)
        try log.give(0..<100, to: "n2", number: 2)
        let theirs = log.position(log.head)
        try log.give(0..<100, to: "n1", number: 1)
        let own = log.position(log.head)
        while shard.applied < log.head { shard.apply(log) }
        #expect(shard.ownership.ownedSince(slot, after: theirs) == own)
        #expect(shard.ownership.ownedSince(slot, after: first) == nil, "n2 had it between")
        try log.give(0..<100, to: "n1", number: 1, shard: 1)
        shard.apply(log)
        #expect(shard.ownership.ownedSince(slot, after: theirs) == own, "it is the same node's")
        shard.ownership.forgetSuccessions()
        #expect(shard.ownership.ownedSince(slot, after: theirs) == nil)
    }

    @Test func aRecordThatDoesNotFitMakesTheTableUnknown() throws {
        var (log, shard) = try served()
        try log.give(0..<100, to: "n2", number: 2)
        shard.applied = log.head
        log.serve()
        log.appendOther()
        try log.give(100..<200, to: "n2", number: 2)
        shard.applied = log.head - 1
        shard.apply(log)
        #expect(Self.slots.allSatisfy { !shard.ownership.answers(HashSlot($0) ?? .first) })
        shard.hear(log.head - 1, log)
        #expect(Self.slots.allSatisfy { !shard.ownership.answers(HashSlot($0) ?? .first) })
        shard.hear(log.head, log)
        #expect(Self.slots.contains { shard.ownership.answers(HashSlot($0) ?? .first) })
    }

    /// It would answer for nothing, and take no report: what SERVED is of cannot be seen in it.
    @Test func aRecordThatHasSlotsServedBeginsNoTable() throws {
        var (log, shard) = try served()
        log.serve()
        try log.give(0..<100, to: "n2", number: 2)
        log.serve()
        var begun = try Shard(notBefore: .none, applied: log.head - 1, keys: Self.keys)
        let served = try #require(log.records[log.head])
        _ = begun.ownership.begin(with: served, at: log.position(log.head), keeping: nil)
        begun.applied = log.head
        begun.hear(log.head, log)
        while shard.applied < log.head { shard.apply(log) }
        for number in Self.slots {
            let slot = try #require(HashSlot(number))
            #expect(begun.ownership.answers(slot) == shard.ownership.answers(slot))
        }
    }

    @Test func aReportThatContradictsTheTableMakesItUnknown() throws {
        var (log, shard) = try served()
        var other = Log()
        try other.give(0..<16_384, to: "n2", number: 2)
        other.serve()
        shard.hear(other.head, other)
        #expect(Self.slots.allSatisfy { !shard.ownership.answers(HashSlot($0) ?? .first) })
        log.appendOther()
        shard.apply(log)
        shard.hear(log.head, log)
        #expect(Self.slots.allSatisfy { shard.ownership.answers(HashSlot($0) ?? .first) })
    }

    /// A disk tier is of the shard that has had the same slots all the time.
    @Test func theDigestIsOfTheOwnSlotsAndOfSinceWhenTheyAreOwned() throws {
        var (log, shard) = try served()
        let before = try #require(shard.ownership.digest)
        log.serve()
        shard.apply(log)
        #expect(shard.ownership.digest == before)
        try log.give(0..<100, to: "n2", number: 2)
        shard.apply(log)
        let fewer = try #require(shard.ownership.digest)
        #expect(fewer != before)
        try log.give(0..<100, to: "n1", number: 1)
        shard.apply(log)
        let again = try #require(shard.ownership.digest)
        #expect(again != before && again != fewer, "it was another's meanwhile")
        shard.jump(to: log.head, log)
        #expect(shard.ownership.digest == nil)
    }

    /// A read that was routed by a table without owners went anywhere.
    @Test func aReadIsTrustedOnceEverySlotIsServed() throws {
        var log = Log()
        var shard = try Shard(notBefore: log.position(0), applied: 0, keys: [])
        var trusts: [Bool] = []
        func hear(_ number: Int) {
            shard.hear(number, log)
            trusts.append(shard.ownership.trusted == UInt32(number))
        }
        hear(0)
        try log.give(0..<16_384, to: "n1", number: 1)
        shard.apply(log)
        hear(1)
        log.serve()
        shard.apply(log)
        hear(2)
        #expect(trusts == [false, false, true])
    }
}
