import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@Suite struct SegmentFrameTests {
    private func frame(of record: SealedRecord, settled: UInt64 = 0) -> [UInt8] {
        var writer = ByteWriter()
        SegmentFrame.encode(record, settled: SequenceNumber(settled), into: &writer)
        return writer.array
    }

    @Test func aFrameHoldsTheRecordAsItWasSealed() throws {
        for tag in ["a", "ab", "abc", "abcd", "abcdefgh"] {
            let tag = try #require(Tag(tag))
            let record = try SealedRecord(
                sealing: InvalidationRecord(
                    position: .at(9), previousDigest: LogDigest(5), operation: .none,
                    strength: .soft, scopes: [Scope(.tag(tag, in: .default))]))
            let bytes = frame(of: record, settled: 8)
            #expect(bytes.count % 8 == 0)
            try bytes.withUnsafeBytes { bytes in
                let frame = try #require(SegmentFrame(bytes, at: 0))
                #expect(frame.bytes == bytes.count)
                #expect(frame.sequence == SequenceNumber(9))
                #expect(frame.settled == SequenceNumber(8))
                #expect(frame.previousDigest == LogDigest(5))
                #expect(frame.digest == record.digest)
                #expect(Array(frame.record) == record.bytes)
                #expect(SegmentFrame(bytes, at: 8) == nil)
                #expect(SegmentFrame(bytes, at: -8) == nil)
            }
        }
    }

    @Test func everyCutAndEveryFlippedBitIsNoticed() throws {
        let record = try #require(try Chain.records(1, after: Chain.start()).first)
        let bytes = frame(of: record)
        for count in 0..<bytes.count {
            #expect(Array(bytes[..<count]).withUnsafeBytes { SegmentFrame($0, at: 0) == nil })
        }
        for bit in 0..<(8 * bytes.count) {
            let damaged = SegmentSample.flipped(bytes, bit: bit)
            #expect(damaged.withUnsafeBytes { SegmentFrame($0, at: 0) == nil })
        }
    }
}
