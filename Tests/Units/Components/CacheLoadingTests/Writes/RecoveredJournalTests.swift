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
        var bytes = writer.whole([], salt: Self.salt)
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
        return try RecoveredJournal(writer.whole(Array(records.prefix(count)), salt: salt))
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

    private static func described(_ text: String, _ name: UInt64) -> OriginWrite {
        var write = WriteStory.write("d", text, name: name)
        write.representation = Representation(
            contentType: RepresentationField("text/css"),
            contentEncoding: RepresentationField("gzip"))
        return write
    }

    @Test func aRepresentationComesBackAndMakesTheFileOfFormat3() throws {
        var writer = JournalWriter()
        let plain = writer.whole(Self.records, salt: Self.salt)
        #expect(plain[8] == 2)
        let records: [JournalRecord] =
            Self.records + [
                .write(WriteNumber(5), Self.described("", 5), at: 14),
                .write(WriteNumber(6), Self.described("six", 6), at: 15),
            ]
        writer = JournalWriter()
        let file = writer.whole(records, salt: Self.salt)
        #expect(file[8] == 3 && file.count == plain.count + records[7].bytes + records[8].bytes)
        let journal = try RecoveredJournal(file)
        #expect(journal.entries.map(\.number.rawValue) == [2, 3, 4, 5, 6])
        #expect(journal.entries[3].write == Self.described("", 5))
        #expect(journal.entries[4].write == Self.described("six", 6))
        for length in plain.count..<file.count {
            let cut = try RecoveredJournal(Array(file.prefix(length)))
            #expect(cut.entries.count == (length < plain.count + records[7].bytes ? 3 : 4))
        }
        var newer = file
        newer[8] = 4
        #expect(throws: JournalDamage.newerForm(4)) { _ = try RecoveredJournal(newer) }
    }

    @Test func aRecordTakesAsManyBytesAsItSays() {
        let (bytes, ends) = Self.file()
        let sizes = zip(ends.dropFirst(), ends).map { $0 - $1 }
        #expect(sizes == Self.records.map(\.bytes))
        #expect(bytes.count == ends.last)
    }

    /// A queue goes on counting behind the greatest number that it has found.
    @Test(arguments: [1 << 62 + 1, .max] as [UInt64])
    func aRecordNumberAboveTheMaximumIsCutOff(number: UInt64) throws {
        var writer = JournalWriter()
        let write = WriteStory.write("a", "one", name: 1)
        let records: [JournalRecord] = [
            .write(WriteNumber(1), write, at: 10), .write(WriteNumber(number), write, at: 10),
        ]
        let file = writer.whole(records, salt: Self.salt)
        let journal = try RecoveredJournal(file)
        #expect(journal.last == WriteNumber(1) && journal.cutBytes == file.count / 2 - 20)
    }

    @Test(arguments: [1 << 62 + 1, .max] as [UInt64])
    func aFirstRecordNumberAboveTheMaximumIsCutOff(number: UInt64) throws {
        var writer = JournalWriter()
        var file = writer.whole([.done(WriteNumber(1))], salt: Self.salt)
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
        seal(0..<36, at: 36)
        put(number, at: 56)
        seal(44..<file.count, at: 40)
        let journal = try RecoveredJournal(file)
        #expect(journal.last == WriteNumber(0) && journal.cutBytes == file.count - 40)
    }

    @Test func aTruncatedJournalYieldsExactlyItsCompleteRecords() throws {
        let (bytes, ends) = Self.file()
        for length in ends[0]...bytes.count {
            let whole = ends.count { $0 <= length } - 1
            let journal = try RecoveredJournal(Array(bytes.prefix(length)))
            #expect(journal.entries == (try Self.recovered(whole)).entries, "cut at \(length)")
            #expect(journal.cutBytes == length - ends[whole])
        }
    }

    @Test func aBitFlipIsDamageExceptInTheLastRecord() throws {
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
        var bytes = writer.whole([Self.records[0]], salt: Self.salt)
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
        let bytes = writer.whole([], salt: Self.salt)
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
        var bytes = writer.whole([], salt: Self.salt)
        writer.synchronized()
        _ = writer.appendix([Self.records[0]])
        bytes += writer.appendix([Self.records[1]])
        let journal = try RecoveredJournal(bytes)
        #expect(journal.entries.map(\.number.rawValue) == [2])
    }

    @Test func theFormIsTheOneInTheDocument() {
        var writer = JournalWriter()
        let bytes = writer.whole([.done(WriteNumber(5))], salt: Self.salt)
        #expect(HexText.text(of: bytes) == Self.golden)
    }

    /// A release before wrote it.
    @Test func aFileOfTheFirstFormIsRead() throws {
        let golden = try #require(HexText.bytes(of: Self.firstGolden))
        let journal = try RecoveredJournal(golden)
        #expect(journal.last == WriteNumber(5) && journal.cutBytes == 0)
        let forge = JournalForge(salt: nil)
        let file = forge.file([forge.write(1, "one", number: 1, synchronized: 32)])
        #expect(try RecoveredJournal(file).entries.map(\.write.value) == [Array("one".utf8)])
        let torn = try RecoveredJournal(file + forge.write(2, "two", number: 2).dropLast(1))
        #expect(torn.entries.count == 1 && torn.cutBytes > 0)
    }

    /// A release that knows no traces reads that the write of number 0 is over, which never began.
    @Test func aTraceStandsWhereOlderReleasesPassItOver() throws {
        var writer = JournalWriter()
        let records: [JournalRecord] = [
            .write(WriteNumber(1), WriteStory.write("a", "one", name: 1), at: 10),
            .trace(WriteNumber(1), WriteStory.trace),
        ]
        let bytes = writer.whole(records, salt: Self.salt)
        let record = Array(bytes[(bytes.count - 40 - 16 - 25 - 8)...])
        #expect(record[32] == 3 && record[40..<48].allSatisfy { $0 == 0 })
        let body = record[48...].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
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
        let records: [JournalRecord] = [
            .done(WriteNumber(0)), Self.records[0], .done(WriteNumber(0)),
        ]
        let journal = try RecoveredJournal(writer.whole(records, salt: Self.salt))
        #expect(journal.entries.map(\.number.rawValue) == [1] && journal.cutBytes == 0)
    }

    // MARK: What clients have sent

    /// How a journal is read whose last record holds a forged one in its value, and was torn.
    private static func torn(in salt: FileSalt?, forging forged: FileSalt?) throws
        -> RecoveredJournal
    {
        let forge = JournalForge(salt: salt)
        let file = forge.file([forge.write(1, "one", number: 1)])
        let record = JournalForge(salt: forged).done(9, number: 3, synchronized: file.count + 1)
        let value = record + [UInt8](repeating: 7, count: 100)
        let last = forge.write(2, value, number: 2, synchronized: file.count)
        return try RecoveredJournal(file + last.dropLast(10))
    }

    /// What was never answered for must not keep a node from starting.
    @Test func whatAValueHoldsIsTakenForNoRecord() throws {
        for forged in [nil, FileSalt(rawValue: 7)] {
            let journal = try Self.torn(in: Self.salt, forging: forged)
            #expect(journal.entries.map(\.number.rawValue) == [1] && journal.cutBytes > 100)
        }
        // In the first form it is, and could be.
        #expect(throws: JournalDamage.self) { try Self.torn(in: nil, forging: nil) }
    }

    /// Plausible lengths without end: each byte is checked twice at most.
    @Test(arguments: [nil, salt] as [FileSalt?])
    func theWorkGrowsWithTheBytesAlone(salt: FileSalt?) throws {
        let forge = JournalForge(salt: salt)
        let file = forge.file([forge.write(1, "one", number: 1)])
        func tail(_ salt: FileSalt?) -> [UInt8] {
            let head = JournalForge(salt: salt)
                .head(bytes: 50_000, number: 3, synchronized: file.count + 1)
            return (0..<2_500).flatMap { _ in head }
        }
        func scan(_ bytes: [UInt8]) throws -> (isDamaged: Bool, checked: Int) {
            try bytes.withUnsafeBytes { bytes in
                var scan = try JournalScan(bytes)
                while scan.next() != nil {}
                return (scan.isAnsweredForBehind(), scan.checkedBytes)
            }
        }
        let forged = file + tail(salt)
        let found = try scan(forged)
        #expect(found.isDamaged && found.checked <= 2 * forged.count)
        guard salt != nil else { return }
        let strange = try scan(file + tail(FileSalt(rawValue: 7)))
        #expect(!strange.isDamaged && strange.checked < file.count)
    }

    private static let salt = FileSalt.sample
    private static let golden =
        "4d4152544c4554510200000000000000010000000000000010111213141516"
        + "170000000072f0aa30be4bb02730000000101112131415161701000000000000"
        + "00000000000000000003000000000000000500000000000000"
    private static let firstGolden =
        "4d4152544c45545101000000000000000100000000000000000000009a043d95"
        + "17832e4228000000010000000000000000000000000000000300000000000000"
        + "0500000000000000"
}
