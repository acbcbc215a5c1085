import CacheInvalidation
import CacheModel
import Testing

@testable import LogFiles

@Suite struct RecordWindowTests {
    private let records: [SealedRecord]

    init() throws {
        records = try LogBench.records(
            5_000, after: LogBench.start(of: LogID(1), epoch: 1), tag: "tag")
    }

    private func window(_ count: Int, bytesMax: Int = 1 << 20) -> RecordWindow {
        var window = RecordWindow(bytesMax: bytesMax)
        for record in records.prefix(count) { window.append(record) }
        return window
    }

    private static func sequence(_ number: Int) -> SequenceNumber {
        SequenceNumber(UInt64(number))
    }

    @Test func everyRecordIsReadAsItWasAppendedAcrossSlabs() {
        let window = window(5_000)
        for after in [0, 1, 500, 1_023, 1_024, 2_100, 4_999] {
            let found = window.read(after: Self.sequence(after), limit: 700)
            #expect(found == Array(records[after..<min(after + 700, 5_000)]), "after \(after)")
        }
    }

    @Test func whatIsNotThereYetOrAnyMoreIsNotAnswered() {
        let window = window(5_000, bytesMax: 128 << 10)
        #expect(window.read(after: Self.sequence(0), limit: 1) == nil)
        #expect(window.read(after: Self.sequence(5_000), limit: 1) == nil)
        #expect(window.read(after: Self.sequence(4_999), limit: 9) == [records[4_999]])
    }

    @Test func anAnswerIsBoundedAsAReadingOfAFileIs() throws {
        let window = window(5_000, bytesMax: 8 << 20)
        let found = try #require(window.read(after: Self.sequence(0), limit: .max))
        let bytes = found.reduce(0) { $0 + $1.bytes.count }
        #expect(found.count == 5_000 || bytes <= LogFilesLimits.readBytesMax)
        #expect(window.read(after: Self.sequence(0), limit: 3)?.count == 3)
        #expect(window.read(after: Self.sequence(0), limit: 0)?.isEmpty == true)
    }

    @Test func aRecordThatDoesNotFollowBeginsTheWindowAnew() {
        var window = window(10)
        window.append(records[20])
        #expect(window.read(after: Self.sequence(9), limit: 1) == nil)
        #expect(window.read(after: Self.sequence(20), limit: 1) == [records[20]])
        window.removeAll()
        #expect(window.read(after: Self.sequence(20), limit: 1) == nil)
    }

    @Test func aRecordLargerThanASlabHasOneToItself() throws {
        var window = RecordWindow(bytesMax: 1 << 20)
        let key = try #require(CacheKey(bytes: [UInt8](repeating: 7, count: 4_096)))
        let scopes = [Scope](repeating: Scope(.key(key, in: .default)), count: 15)
        var head = LogBench.start(of: LogID(1), epoch: 1)
        var large: [SealedRecord] = []
        for _ in 0..<4 {
            let sealed = try LogBench.sealed(scopes, after: head)
            large.append(sealed)
            head = sealed.mark
            window.append(sealed)
        }
        #expect(window.read(after: .none, limit: 9) == large)
    }
}
