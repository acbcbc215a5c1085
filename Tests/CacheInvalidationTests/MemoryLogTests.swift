import CacheInvalidation
import CacheModel
import Testing

@Suite struct MemoryLogTests {
    private func log(recordsMax: Int = 100, bytesMax: Int = 1 << 20) -> MemoryLog {
        var log = MemoryLog(id: Chain.log, recordsMax: recordsMax, bytesMax: bytesMax)
        log.continueHistory(of: Chain.log, from: Chain.start())
        return log
    }

    @Test func aLogInMemoryConforms() throws {
        try InvalidationLogConformance { MemoryLog(id: Chain.log) }.check()
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

    @Test func aLogThatContinuesAnotherKeepsNoneOfItsRecords() throws {
        var log = MemoryLog(id: Chain.log)
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
