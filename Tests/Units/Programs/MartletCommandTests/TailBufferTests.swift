import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct TailBufferTests {
    private func record(_ sequence: UInt64) -> InvalidationStream.Event {
        .record(
            InvalidationRecord(
                position: Sample.position(sequence), previousDigest: LogDigest(0),
                operation: .none, strength: .hard, scopes: [Scope(.everything)]))
    }

    private func receipt(_ sequence: UInt64) -> InvalidationReceipt {
        InvalidationReceipt(
            position: Sample.position(sequence), wait: .all, isComplete: true,
            nearCacheDelay: .zero, applied: [], expired: [], pending: [])
    }

    private func sequences(_ lines: [TailLine]) -> [UInt64] {
        lines.compactMap { $0.position?.sequence.rawValue }
    }

    @Test func linesComeInTheLogsOrderWhateverTheReceipts() {
        var book = TailBuffer(wantsReceipts: true)
        for sequence in 1...3 as ClosedRange<UInt64> {
            #expect(book.add(record(sequence)) == Sample.position(sequence))
        }
        book.told(Sample.position(2), receipt(2))
        book.told(Sample.position(3), nil)
        #expect(book.takeReady().isEmpty, "the first one is asked about")
        book.told(Sample.position(1), receipt(1))
        let lines = book.takeReady()
        #expect(sequences(lines) == [1, 2, 3])
        #expect(lines.map(\.receipt) == [.told(receipt(1)), .told(receipt(2)), .unknown])
        #expect(book.takeAll().isEmpty)
    }

    @Test func whatIsNoRecordKeepsItsPlace() {
        var book = TailBuffer(wantsReceipts: true)
        let loss = InvalidationStream.Event.lost(
            after: Sample.position(1), continuingAfter: Sample.position(5))
        _ = book.add(record(1))
        #expect(book.add(loss) == nil)
        #expect(book.takeReady().isEmpty)
        book.told(Sample.position(1), receipt(1))
        #expect(book.takeReady().map(\.event) == [record(1), loss])
    }

    /// After a loss the log may be another cluster's, unless that is why it was lost.
    @Test(arguments: [false, true])
    func positionsAreOfTheClusterThatIsFollowed(isVoid: Bool) {
        let cluster = ClusterID(0xA)
        let loss = InvalidationStream.Event.lost(
            after: Sample.position(1), continuingAfter: Sample.position(5))
        var book = TailBuffer(wantsReceipts: false)
        book.follows(cluster, isVoid: isVoid)
        if !isVoid { _ = book.add(record(1)) }
        _ = book.add(loss)
        _ = book.add(record(6))
        let told = book.takeReady()
        #expect(told.first?.cluster == cluster)
        #expect(told.last?.cluster == (isVoid ? cluster : .none))
        #expect(TailLine(record(6), of: cluster).output(.plain).text.hasPrefix("1:6@\(cluster)  "))
        #expect(
            TailLine(record(6), of: cluster).output(.json).text.hasPrefix(
                #"{"event":"record","position":"1:6","cluster":"\#(cluster)","strength":"#))
    }

    @Test func withoutReceiptsNothingIsHeld() {
        var book = TailBuffer(wantsReceipts: false)
        #expect(book.add(record(1)) == nil)
        #expect(book.takeReady() == [TailLine(record(1))])
    }

    /// Faster than receipts come: lines go without, and the newest is at most so far behind.
    @Test func aFastLogIsNotWaitedFor() {
        var book = TailBuffer(wantsReceipts: true)
        var askedCount = 0
        var shown: [TailLine] = []
        for sequence in 1...1_000 as ClosedRange<UInt64> {
            if book.add(record(sequence)) != nil { askedCount += 1 }
            shown += book.takeReady()
        }
        #expect(askedCount == TailBuffer.askedMax)
        #expect(shown.count >= 1_000 - TailBuffer.heldMax)
        #expect(shown.allSatisfy { $0.receipt == .unknown })
        // A late answer makes room for a question, and shows no line twice.
        book.told(Sample.position(1), receipt(1))
        #expect(book.add(record(1_001)) == Sample.position(1_001))
        shown += book.takeAll()
        #expect(sequences(shown) == Array(1...1_001))
    }

    @Test func theEndPrintsWhatIsHeld() {
        var book = TailBuffer(wantsReceipts: true)
        _ = book.add(record(1))
        #expect(book.takeAll() == [TailLine(record(1), receipt: .unknown)])
    }
}
