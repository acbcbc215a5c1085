import CacheInvalidation
import CacheModel
import Testing

@Suite struct LogRetentionTests {
    /// Segments of ten records and a thousand bytes, made at seconds 100, 200, ….
    private func segments(_ count: Int) -> [LogRetention.Segment] {
        (0..<count).map {
            .init(
                base: SequenceNumber(UInt64($0 * 10)), usedBytes: 1_000,
                createdAt: UInt64(100 * ($0 + 1)))
        }
    }

    private func leaving(
        _ count: Int, records: Int = .max, bytes: Int = .max, seconds: UInt64? = nil,
        now: UInt64 = 1_000
    ) -> Int {
        LogRetention(recordsMax: records, bytesMax: bytes, secondsMax: seconds).leaving(
            segments(count), head: SequenceNumber(UInt64(count * 10)), now: now)
    }

    @Test func segmentsLeaveOnceTheRestReachesTheBound() {
        #expect(leaving(6) == 0)
        #expect(leaving(6, bytes: 6_000) == 0)
        #expect(leaving(6, bytes: 5_001) == 0)
        #expect(leaving(6, bytes: 5_000) == 1)
        #expect(leaving(6, bytes: 3_500) == 2)
        #expect(leaving(6, records: 51) == 0)
        #expect(leaving(6, records: 50) == 1)
        #expect(leaving(6, records: 21) == 3)
    }

    @Test func headersThatNoLogHasWrittenAreNoTrap() {
        let forged = [UInt64(0), .max, .max].map {
            LogRetention.Segment(
                base: SequenceNumber($0 >> 16), usedBytes: 1_000, createdAt: $0)
        }
        let retention = LogRetention(recordsMax: 10, bytesMax: .max, secondsMax: .max)
        #expect(retention.leaving(forged, head: SequenceNumber(5), now: 1_000) == 0)
    }

    @Test func theLastSegmentNeverLeaves() {
        #expect(leaving(6, bytes: 1) == 5)
        #expect(leaving(6, records: 1) == 5)
        #expect(leaving(6, seconds: 0, now: 1_000_000) == 5)
        #expect(leaving(1, bytes: 1) == 0)
        #expect(leaving(0, bytes: 1) == 0)
    }

    /// The next segment was made at second 200: what lies before it is at least that old.
    @Test func aSegmentLeavesOnceAllOfItIsTooOld() {
        #expect(leaving(6, seconds: 100, now: 300) == 0)
        #expect(leaving(6, seconds: 100, now: 301) == 1)
        #expect(leaving(6, seconds: 100, now: 501) == 3)
        // A clock that was set back removes nothing.
        #expect(leaving(6, seconds: 100, now: 0) == 0)
    }
}
