import Histogram
import Testing

@testable import LoadTest

@Suite struct EncodedHistogramTests {
    private static func range(of histogram: LatencyHistogram) -> ClosedRange<UInt64> {
        histogram.min...(histogram.slowest ?? 0)
    }

    private static let shapes: [[UInt64]] = [
        [], [0], [1], [2_047], [2_048], [0, 1, 3, 1_000, 1_000, 1_001, 123_456_789],
        [3_600_000_000_000], Array(1...5_000),
        (0..<3_000).map { $0 &* 2_654_435_761 % 90_000_000_000 },
    ]

    @Test(arguments: shapes) func whatIsWrittenIsRead(values: [UInt64]) throws {
        for empty in [LatencyHistogram.latencies(), .ofMoment()] {
            var histogram = empty
            for value in values { histogram.note(nanoseconds: value) }
            let read = try EncodedHistogram.histogram(
                from: EncodedHistogram.bytes(of: histogram), range: Self.range(of: histogram))
            #expect(read == histogram)
            #expect(read.slowest == histogram.slowest)
            #expect(read.min == histogram.min)
            #expect([50, 90, 99].map(read.known) == [50, 90, 99].map(histogram.known))
        }
    }

    /// As the library in Java and the one in Python write the same values.
    @Test func theBytesAreThoseOfTheStandard() {
        var histogram = LatencyHistogram.ofMoment()
        for value: UInt64 in [1, 1, 2, 300] { histogram.note(nanoseconds: value) }
        let bytes = EncodedHistogram.bytes(of: histogram)
        let head: [UInt8] =
            [0x1c, 0x84, 0x93, 0x13, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 2]
            + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0x03, 0x46, 0x30, 0xb8, 0xa0, 0]
            + [0x3f, 0xf0, 0, 0, 0, 0, 0, 0]
        // None of 0, two of 1, one of 2, none from 3 to 299 in 275 buckets, one of 300.
        #expect(bytes == head + [0, 4, 2, 0xa5, 0x04, 2])
    }

    @Test func everyTornPrefixIsRefusedOrShorter() throws {
        var histogram = LatencyHistogram.latencies()
        for value: UInt64 in [5, 70_000, 70_000, 9_000_000] { histogram.note(nanoseconds: value) }
        let bytes = EncodedHistogram.bytes(of: histogram)
        for length in 0..<bytes.count {
            #expect(throws: EncodedHistogram.Fault.self) {
                try EncodedHistogram.histogram(
                    from: Array(bytes.prefix(length)), range: Self.range(of: histogram))
            }
        }
    }

    /// Whatever somebody writes into a report, reading it ends with a histogram or a fault.
    @Test func noBitThatIsTurnedTrapsTheReader() {
        var histogram = LatencyHistogram.ofMoment()
        for value: UInt64 in [5, 70_000, 70_000, 9_000_000] { histogram.note(nanoseconds: value) }
        let bytes = EncodedHistogram.bytes(of: histogram)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                do throws(EncodedHistogram.Fault) {
                    let read = try EncodedHistogram.histogram(
                        from: changed, range: Self.range(of: histogram))
                    #expect(read.totalCount > 0)
                } catch {
                    #expect(error == .notOfThisKind || error == .torn)
                }
            }
        }
    }

    @Test func aRangeThatDoesNotFitIsRefused() {
        var histogram = LatencyHistogram.latencies()
        histogram.note(nanoseconds: 5_000)
        let bytes = EncodedHistogram.bytes(of: histogram)
        #expect(throws: EncodedHistogram.Fault.torn) {
            try EncodedHistogram.histogram(from: bytes, range: 5_000...90_000)
        }
    }
}
