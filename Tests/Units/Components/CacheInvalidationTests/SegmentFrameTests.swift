import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@Suite struct SegmentFrameTests {
    static let forms = [FrameForm.unsalted, SegmentSample.salted]

    private func frame(
        of record: SealedRecord, settled: UInt64 = 0, in form: FrameForm
    ) -> [UInt8] {
        var writer = ByteWriter()
        SegmentFrame.encode(record, settled: SequenceNumber(settled), in: form, into: &writer)
        return writer.array
    }

    @Test(arguments: forms) func aFrameHoldsTheRecordAsItWasSealed(form: FrameForm) throws {
        for tag in ["a", "ab", "abc", "abcd", "abcdefgh"] {
            let tag = try #require(Tag(tag))
            let record = try SealedRecord(
                sealing: InvalidationRecord(
                    position: .at(9), previousDigest: LogDigest(5), operation: .none,
                    strength: .soft, scopes: [Scope(.tag(tag, in: .default))]))
            let bytes = frame(of: record, settled: 8, in: form)
            #expect(bytes.count % 8 == 0)
            try bytes.withUnsafeBytes { bytes in
                let frame = try #require(SegmentFrame(bytes, at: 0, in: form))
                #expect(frame.bytes == bytes.count)
                #expect(frame.sequence == SequenceNumber(9))
                #expect(frame.settled == SequenceNumber(8))
                #expect(frame.previousDigest == LogDigest(5))
                #expect(frame.digest == record.digest)
                #expect(Array(frame.record) == record.bytes)
                #expect(SegmentFrame(bytes, at: 8, in: form) == nil)
                #expect(SegmentFrame(bytes, at: -8, in: form) == nil)
            }
        }
    }

    @Test(arguments: forms) func everyCutAndEveryFlippedBitIsNoticed(form: FrameForm) throws {
        let record = try #require(try Chain.records(1, after: Chain.start()).first)
        let bytes = frame(of: record, in: form)
        for count in 0..<bytes.count {
            let cut = Array(bytes[..<count])
            #expect(cut.withUnsafeBytes { SegmentFrame($0, at: 0, in: form) == nil })
        }
        for bit in 0..<(8 * bytes.count) {
            let damaged = SegmentSample.flipped(bytes, bit: bit)
            #expect(damaged.withUnsafeBytes { SegmentFrame($0, at: 0, in: form) == nil })
        }
    }

    @Test func aFrameOfAnotherSaltOrFormIsNone() throws {
        let record = try #require(try Chain.records(1, after: Chain.start()).first)
        let other = FrameForm.salted(try #require(FileSalt(rawValue: 9)))
        let all = Self.forms + [other]
        for written in all {
            let bytes = frame(of: record, in: written)
            for form in all where form != written {
                #expect(bytes.withUnsafeBytes { SegmentFrame($0, at: 0, in: form) == nil })
            }
        }
    }
}
