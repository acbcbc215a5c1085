import ByteCoding
import CacheLoading
import CacheModel
import Testing

/// A journal that was killed, cut, or damaged anywhere.
@Suite struct RecoveredJournalTests {
    private static let records: [JournalRecord] = [
        .write(WriteNumber(1), WriteStory.write("a", "one", name: 1), at: 10),
        .write(WriteNumber(2), WriteStory.write("b", nil, name: 2), at: 11),
        .done(WriteNumber(1)),
        .write(WriteNumber(3), WriteStory.write("a", "", name: 3), at: 12),
        .trace(WriteNumber(3), WriteStory.trace),
        .rejected(WriteNumber(2), WriteRejection(status: 409, words: Array("no".utf8))),
        .write(WriteNumber(4), WriteStory.write("c", "four", name: 4), at: 13),
    ]

    /// A file of these, each synchronized before the next is written; where each ends.
    private static func file() -> (bytes: [UInt8], ends: [Int]) {
        var writer = JournalWriter()
        var bytes = writer.whole([])
        writer.synchronized()
        var ends = [bytes.count]
        for record in records {
            bytes += writer.appendix([record])
            writer.synchronized()
            ends.append(bytes.count)
        }
        return (bytes, ends)
    }

    private static func recovered(_ count: Int) throws -> RecoveredJournal {
        var writer = JournalWriter()
        return try RecoveredJournal(writer.whole(Array(records.prefix(count))))
    }

    @Test func whatIsNotOverComesBackInOrder() throws {
        let journal = try Self.recovered(Self.records.count)
        #expect(journal.entries.map(\.number.rawValue) == [2, 3, 4])
        #expect(journal.entries.map(\.rejection?.status) == [409, nil, nil])
        #expect(journal.entries.map(\.write.value?.count) == [nil, 0, 4])
        #expect(journal.entries.map(\.at) == [11, 12, 13])
        #expect(journal.entries.map(\.write.trace) == [nil, WriteStory.trace, nil])
        #expect(journal.last == WriteNumber(4))
        #expect(journal.cutBytes == 0)
    }

    @Test func aRecordTakesAsManyBytesAsItSays() {
        let (bytes, ends) = Self.file()
        let sizes = zip(ends.dropFirst(), ends).map { $0 - $1 }
        #expect(sizes == Self.records.map(\.bytes))
        #expect(bytes.count == ends.last)
    }

    /// A queue goes on counting behind the greatest number that it has found.
    @Test(arguments: [1 << 62 + 1, .max] as [UInt64])
    func aNumberBehindWhichNobodyCanCountIsNoRecord(number: UInt64) throws {
        var writer = JournalWriter()
        let write = WriteStory.write("a", "one", name: 1)
        let file = writer.whole([
            .write(WriteNumber(1), write, at: 10), .write(WriteNumber(number), write, at: 10),
        ])
        let journal = try RecoveredJournal(file)
        #expect(journal.last == WriteNumber(1) && journal.cutBytes == file.count / 2 - 16)
    }

    @Test(arguments: [1 << 62 + 1, .max] as [UInt64])
    func aRecordBehindWhichNobodyCanCountIsNone(number: UInt64) throws {
        var writer = JournalWriter()
        var file = writer.whole([.done(WriteNumber(1))])
        func put(_ number: UInt64, at offset: Int) {
            for byte in 0..<8 {
                file[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte))
            }
        }
        func seal(_ range: Range<Int>, at offset: Int) {
            let sum = file[range].withUnsafeBytes { CRC32C.checksum($0) }
            for byte in 0..<4 { file[offset + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
        }
        // The header's number of the first record, and that record's own.
        put(number, at: 16)
        seal(0..<28, at: 28)
        put(number, at: 40)
        seal(36..<file.count, at: 32)
        let journal = try RecoveredJournal(file)
        #expect(journal.last == WriteNumber(0) && journal.cutBytes == file.count - 32)
    }

    @Test func aFileThatWasCutAnywhereHoldsEveryRecordThatIsWholeAndNoOther() throws {
        let (bytes, ends) = Self.file()
        for length in ends[0]...bytes.count {
            let whole = ends.count { $0 <= length } - 1
            let journal = try RecoveredJournal(Array(bytes.prefix(length)))
            #expect(journal.entries == (try Self.recovered(whole)).entries, "cut at \(length)")
            #expect(journal.cutBytes == length - ends[whole])
        }
    }

    @Test func aBitThatTurnedBeforeTheLastRecordIsDamageAndInItIsATornEnd() throws {
        let (bytes, ends) = Self.file()
        let lastStart = ends[ends.count - 2]
        for index in ends[0]..<bytes.count {
            for bit in 0..<8 {
                var turned = bytes
                turned[index] ^= 1 << UInt8(bit)
                if index < lastStart {
                    #expect(throws: JournalDamage.self, "byte \(index)") {
                        _ = try RecoveredJournal(turned)
                    }
                } else {
                    let journal = try RecoveredJournal(turned)
                    #expect(journal.entries.map(\.number.rawValue) == [2, 3])
                }
            }
        }
    }

    @Test func ofRecordsWrittenTogetherAndTornNoneIsMissed() throws {
        var writer = JournalWriter()
        var bytes = writer.whole([Self.records[0]])
        writer.synchronized()
        let start = bytes.count
        bytes += writer.appendix(Array(Self.records[1...]))
        // The system wrote the end first, and then the machine stopped.
        bytes[start + 4] ^= 0xFF
        let journal = try RecoveredJournal(bytes)
        #expect(journal.entries.map(\.number.rawValue) == [1])
    }

    @Test func zerosBehindTheEndAreNoRecords() throws {
        let (bytes, _) = Self.file()
        let journal = try RecoveredJournal(bytes + [UInt8](repeating: 0, count: 100))
        #expect(journal.entries.count == 3)
        #expect(journal.cutBytes == 100)
    }

    @Test func aHeaderThatIsNoneIsSaid() {
        var writer = JournalWriter()
        let bytes = writer.whole([])
        for index in bytes.indices {
            var turned = bytes
            turned[index] ^= 1
            #expect(throws: JournalDamage.self, "byte \(index)") {
                _ = try RecoveredJournal(turned)
            }
        }
        for length in 0..<bytes.count {
            #expect(throws: JournalDamage.notAJournal) {
                _ = try RecoveredJournal(Array(bytes.prefix(length)))
            }
        }
    }

    @Test func whatWasNotSynchronizedIsNotNumbered() throws {
        var writer = JournalWriter()
        var bytes = writer.whole([])
        writer.synchronized()
        _ = writer.appendix([Self.records[0]])
        bytes += writer.appendix([Self.records[1]])
        let journal = try RecoveredJournal(bytes)
        #expect(journal.entries.map(\.number.rawValue) == [2])
    }

    @Test func theFormIsTheOneInTheDocument() {
        var writer = JournalWriter()
        let bytes = writer.whole([.done(WriteNumber(5))])
        let hex = bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        #expect(hex == Self.golden)
    }

    /// A release that knows no traces reads that the write of number 0 is over, which never began.
    @Test func aTraceStandsWhereOlderReleasesPassItOver() throws {
        var writer = JournalWriter()
        let bytes = writer.whole([
            .write(WriteNumber(1), WriteStory.write("a", "one", name: 1), at: 10),
            .trace(WriteNumber(1), WriteStory.trace),
        ])
        let record = Array(bytes[(bytes.count - 32 - 16 - 25 - 8)...])
        #expect(record[24] == 3 && record[32..<40].allSatisfy { $0 == 0 })
        let body = record[40...].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(
            body == "0100000000000000" + "a64db377352ff94b" + "36470e0e9d92cea3"
                + "b702a90baa67f000" + "01" + "76656e646f723d31")
        let journal = try RecoveredJournal(bytes)
        #expect(journal.last == WriteNumber(1) && journal.entries.count == 1)
        #expect(journal.entries.first?.write.trace == WriteStory.trace)
    }

    /// What stands behind the number of no write and is no trace is nothing.
    @Test func whatIsNoTraceThereIsPassedOver() throws {
        var writer = JournalWriter()
        let journal = try RecoveredJournal(
            writer.whole([.done(WriteNumber(0)), Self.records[0], .done(WriteNumber(0))]))
        #expect(journal.entries.map(\.number.rawValue) == [1] && journal.cutBytes == 0)
    }

    private static let golden =
        "4d4152544c45545101000000000000000100000000000000000000009a043d95"
        + "17832e4228000000010000000000000000000000000000000300000000000000"
        + "0500000000000000"
}
