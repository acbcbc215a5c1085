import CacheInvalidation
import CacheModel
import Testing

/// What every ``InvalidationLog`` promises. The same checks run on every engine.
struct InvalidationLogConformance<Log: InvalidationLog> {
    let makeLog: () throws -> Log

    init(_ makeLog: @escaping () throws -> Log) {
        self.makeLog = makeLog
    }

    func check() throws {
        try whatWasAppendedCanBeRead()
        try anAppendHappensWholeOrNotAtAll()
        try aMarkIsTheLogsOrIsNot()
        try aNewEpochBeginsAtNothing()
        try nothingFollowsTheLastNumber()
    }

    private func begun() throws -> Log {
        var log = try makeLog()
        log.continueHistory(of: Chain.log, from: Chain.start())
        return log
    }

    private func whatWasAppendedCanBeRead() throws {
        var log = try begun()
        #expect(log.head == Chain.start() && log.tail == SequenceNumber(1))
        let records = try Chain.records(5, after: log.head)
        try log.append(Array(records[..<2]), expecting: log.head)
        try log.append(Array(records[2...]), expecting: records[1].mark)
        for after in 0...5 {
            for limit in 0...6 {
                let read = log.read(after: SequenceNumber(UInt64(after)), limit: limit)
                #expect(read == Array(records[after...].prefix(limit)))
            }
        }
        #expect(log.read(after: SequenceNumber(6), limit: 1) == nil)
        #expect(log.read(after: .max, limit: 1) == nil)
    }

    private func anAppendHappensWholeOrNotAtAll() throws {
        var log = try begun()
        let records = try Chain.records(4, after: log.head)
        let other = try Chain.records(4, after: log.head, salt: 5)
        #expect(throws: LogRefusal.unexpectedHead(Chain.start())) {
            try log.append(records, expecting: records[0].mark)
        }
        #expect(throws: LogRefusal.notContiguous) {
            try log.append([records[0], records[2]], expecting: log.head)
        }
        // The numbers follow each other, the digests do not.
        #expect(throws: LogRefusal.notContiguous) {
            try log.append([records[0], other[1]], expecting: log.head)
        }
        #expect(log.head == Chain.start())
        try log.append(records, expecting: log.head)
        #expect(log.head == records[3].mark)
    }

    private func aMarkIsTheLogsOrIsNot() throws {
        var log = try begun()
        let records = try Chain.records(3, after: log.head)
        try log.append(records, expecting: log.head)
        for mark in [Chain.start()] + records.map(\.mark) {
            #expect(log.standing(of: mark) == .ofTheLog)
            var forged = mark
            forged.digest = LogDigest(mark.digest.rawValue ^ 1)
            #expect(log.standing(of: forged) == .unlike)
        }
        #expect(log.standing(of: LogMark(position: .at(4), digest: LogDigest(0))) == .ahead)
        #expect(log.standing(of: LogMark(position: .at(0, epoch: 2), digest: .init(9))) == .ahead)
        #expect(log.standing(of: .none) == .beforeTail)
    }

    private func aNewEpochBeginsAtNothing() throws {
        var log = try begun()
        let records = try Chain.records(3, after: log.head)
        try log.append(records, expecting: log.head)
        log.open(Epoch(7))
        #expect(log.head == Chain.start(epoch: 7))
        #expect(log.tail == SequenceNumber(1))
        #expect(log.standing(of: records[2].mark) == .olderEpoch)
        let next = try Chain.records(2, after: log.head)
        try log.append(next, expecting: log.head)
        #expect(log.head.position == .at(2, epoch: 7))
        #expect(log.read(after: .none, limit: 9) == next)
    }

    private func nothingFollowsTheLastNumber() throws {
        var log = try makeLog()
        let last = LogMark(position: .at((1 << 48) - 1), digest: LogDigest(5))
        log.continueHistory(of: Chain.log, from: last)
        #expect(log.read(after: .max, limit: 1) == [])
        #expect(log.standing(of: last) == .ofTheLog)
        log.open(Epoch(2))
        #expect(log.read(after: .max, limit: 1) == nil)
    }
}

@Suite struct InvalidationLimitsTests {
    @Test func theBoundsAgreeWithEachOther() {
        InvalidationLimits.check()
        #expect(InvalidationLimits.grant(for: .seconds(3)) == .milliseconds(3_030))
    }
}
