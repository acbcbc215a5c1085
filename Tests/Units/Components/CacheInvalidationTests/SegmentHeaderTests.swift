import ByteCoding
import CacheInvalidation
import CacheModel
import Testing

@Suite struct SegmentHeaderTests {
    private let header = SegmentHeader(
        log: LogID(0x0102_0304_0506_0708),
        base: LogMark(position: .at(41_982, epoch: 3), digest: LogDigest(0xFEED)),
        createdAt: 1_700_000_000, form: SegmentSample.salted)

    private var bytes: [UInt8] { Self.bytes(header) }

    private static func bytes(_ header: SegmentHeader) -> [UInt8] {
        var writer = ByteWriter()
        header.encode(into: &writer)
        return writer.array
    }

    @Test func theBytesAreThoseOfTheFormatPage() {
        #expect(
            bytes == [
                0x4D, 0x41, 0x52, 0x54, 0x53, 0x45, 0x47, 0x32,  // MARTSEG2
                0x38, 0x5D, 0xF0, 0xF0, 3, 0, 0, 0,
                8, 7, 6, 5, 4, 3, 2, 1,
                0xFE, 0xA3, 0, 0, 0, 0, 0, 0,
                0xED, 0xFE, 0, 0, 0, 0, 0, 0,
                0x00, 0xF1, 0x53, 0x65, 0, 0, 0, 0,
                0x11, 0x10, 0x0F, 0x0E, 0x0D, 0x0C, 0x0B, 0x0A,
                0, 0, 0, 0, 0, 0, 0, 0,
            ])
    }

    /// What a release before wrote is read as it was, and written on with.
    @Test func aSegmentOfTheFirstFormatIsRead() {
        let first = SegmentHeader(
            log: header.log, base: header.base, createdAt: header.createdAt, form: .unsalted)
        let bytes = Self.bytes(first)
        #expect(bytes.withUnsafeBytes { SegmentHeader($0) } == first)
        #expect(!bytes.withUnsafeBytes { SegmentHeader.isOfNewerFormat($0) })
        #expect(
            bytes == [
                0x4D, 0x41, 0x52, 0x54, 0x53, 0x45, 0x47, 0x31,  // MARTSEG1
                0x74, 0x1C, 0x0C, 0x98, 3, 0, 0, 0,
                8, 7, 6, 5, 4, 3, 2, 1,
                0xFE, 0xA3, 0, 0, 0, 0, 0, 0,
                0xED, 0xFE, 0, 0, 0, 0, 0, 0,
                0x00, 0xF1, 0x53, 0x65, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            ])
    }

    @Test func whatWasWrittenIsRead() {
        #expect(bytes.withUnsafeBytes { SegmentHeader($0) } == header)
        #expect((bytes + [1, 2, 3]).withUnsafeBytes { SegmentHeader($0) } == header)
    }

    @Test func aSaltIsNeverZero() {
        var bytes = bytes
        bytes.replaceSubrange(48..<56, with: [UInt8](repeating: 0, count: 8))
        let sum = bytes[12...].withUnsafeBytes { CRC32C.checksum($0) }
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(8..<12, with: $0) }
        #expect(bytes.withUnsafeBytes { SegmentHeader($0) } == nil)
    }

    /// The numbers of epochs begin with 1, and no log has the name 0: nobody could go on with it.
    @Test(arguments: [(7, 1), (7, 0), (0, 1), (0, 0)])
    func whatIsOfNoEpochOrNoLogIsNoSegment(log: UInt64, epoch: UInt32) {
        var writer = ByteWriter()
        SegmentHeader(
            log: LogID(log), base: LogMark(position: .at(1, epoch: epoch), digest: LogDigest(1)),
            createdAt: 1, form: SegmentSample.salted
        ).encode(into: &writer)
        #expect((SegmentHeader(writer.bytes) != nil) == (log == 7 && epoch == 1))
    }

    @Test func everyCutAndEveryFlippedBitIsNoticed() {
        for count in 0..<SegmentHeader.bytes {
            #expect(Array(bytes[..<count]).withUnsafeBytes { SegmentHeader($0) } == nil)
        }
        for bit in 0..<(8 * SegmentHeader.bytes) {
            let damaged = SegmentSample.flipped(bytes, bit: bit)
            #expect(damaged.withUnsafeBytes { SegmentHeader($0) } == nil)
        }
    }
}
