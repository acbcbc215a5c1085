import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@Suite struct MemoryLogTests {
    private func log(recordsMax: Int = 100, bytesMax: Int = 1 << 20) -> MemoryLog {
        var log = MemoryLog(
            id: Chain.log, recordsMax: recordsMax, bytesMax: bytesMax, decode: SealedRecord.kept)
        log.continueHistory(of: Chain.log, from: Chain.start())
        return log
    }

    @Test func aLogInMemoryConforms() throws {
        try InvalidationLogConformance { MemoryLog(id: Chain.log, decode: SealedRecord.kept) }
            .check()
    }

    @Test func theOldestRecordsAreDroppedBeyondTheBound() throws {
        var log = log(recordsMax: 4)
        let records = try Chain.records(10, after: log.head)
        try log.append(records, expecting: log.head)
        #expect(log.tail == SequenceNumber(7))
        #expect(log.head == records[9].mark)
        #expect(log.read(after: SequenceNumber(5), limit: 10) == nil)
        #expect(log.read(after: SequenceNumber(6), limit: 10) == Array(records[6...]))
        // The digest right before the tail is still known: replay may begin there.
        #expect(log.digest(at: SequenceNumber(6)) == records[5].digest)
        #expect(log.digest(at: SequenceNumber(5)) == nil)
        #expect(log.standing(of: records[2].mark) == .beforeTail)
    }

    @Test func bytesAreABoundOfTheirOwn() throws {
        let records = try Chain.records(10, after: Chain.start())
        var log = log(bytesMax: records[0].bytes.count * 3)
        try log.append(records, expecting: log.head)
        #expect(log.tail == SequenceNumber(8))
        #expect(log.keptBytes == records[0].bytes.count * 3)
    }

    // MARK: Packed

    @Test func everyRecordIsReadAsItWasAppendedAcrossPieces() throws {
        var log = log(recordsMax: 10_000)
        let records = try Chain.records(5_000, after: log.head)
        // As they come: a few at a time.
        for start in stride(from: 0, to: 5_000, by: 7) {
            let batch = Array(records[start..<min(start + 7, 5_000)])
            try log.append(batch, expecting: log.head)
        }
        for after in [0, 1, 500, 1_023, 1_024, 2_100, 4_999, 5_000] {
            let found = log.read(after: SequenceNumber(UInt64(after)), limit: 700)
            #expect(found == Array(records[after..<min(after + 700, 5_000)]), "after \(after)")
        }
    }

    /// The oldest go one by one, and what is left is read as before.
    @Test func whatIsDroppedLeavesTheRestReadable() throws {
        let records = try Chain.records(4_000, after: Chain.start())
        for recordsMax in [1, 2, 1_023, 1_024, 1_025, 3_000] {
            var log = log(recordsMax: recordsMax)
            for record in records {
                try log.append([record], expecting: log.head)
                guard record.position.sequence.rawValue.isMultiple(of: 257) else { continue }
                let first = log.tail.rawValue - 1
                let found = try #require(log.read(after: SequenceNumber(first), limit: 2))
                let last = Int(record.position.sequence.rawValue)
                #expect(found == Array(records[Int(first)..<min(Int(first) + 2, last)]))
                #expect(last - Int(first) == min(recordsMax, last))
            }
        }
    }

    @Test func aReadingDecodesNoMoreThanItsBound() throws {
        let key = try #require(CacheKey(bytes: [UInt8](repeating: 7, count: 4_096)))
        var log = MemoryLog(id: Chain.log, decode: SealedRecord.kept)
        log.continueHistory(of: Chain.log, from: Chain.start())
        var records: [SealedRecord] = []
        for _ in 0..<12 {
            let record = try SealedRecord(
                sealing: InvalidationRecord(
                    position: log.head.position.next, previousDigest: log.head.digest,
                    operation: .none, strength: .hard,
                    scopes: [Scope](repeating: Scope(.key(key, in: .default)), count: 15)))
            try log.append([record], expecting: log.head)
            records.append(record)
        }
        // Each is larger than a piece, and has one to itself.
        let fitting = InvalidationLimits.readBytesMax / records[0].bytes.count
        let found = try #require(log.read(after: .none, limit: .max))
        #expect(found == Array(records.prefix(fitting)) && fitting < records.count)
        #expect(log.read(after: SequenceNumber(11), limit: .max) == [records[11]])
        #expect(log.read(after: .none, limit: 3)?.count == 3)
        #expect(log.read(after: .none, limit: 0)?.isEmpty == true)
    }

    @Test func behindTheLastEpochOfAllALogStandsNowhere() {
        let name = SegmentName(base: .at(0, epoch: .max))
        let recovery = LogRecovery(stamp: nil, imprint: nil, names: [name])
        var log = MemoryLog(id: Chain.log, decode: SealedRecord.kept)
        #expect(!log.stand(on: recovery.verdict) && !log.hasHistory)
    }

    @Test func aLogThatContinuesAnotherKeepsNoneOfItsRecords() throws {
        var log = MemoryLog(id: Chain.log, decode: SealedRecord.kept)
        #expect(!log.hasHistory)
        #expect(log.digest(at: .none) == nil)
        let mark = LogMark(position: .at(500), digest: LogDigest(77))
        log.continueHistory(of: LogID(9), from: mark)
        #expect(log.hasHistory && log.id == LogID(9) && log.head == mark)
        #expect(log.tail == SequenceNumber(501))
        #expect(log.standing(of: mark) == .ofTheLog)
        #expect(log.read(after: SequenceNumber(500), limit: 5) == [])
        #expect(log.read(after: SequenceNumber(499), limit: 5) == nil)
    }
}
