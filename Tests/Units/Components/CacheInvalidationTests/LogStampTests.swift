import ByteCoding
import CacheInvalidation
import CacheModel
import Testing

@Suite struct LogStampTests {
    private func bytes(of stamp: LogStamp) -> [UInt8] {
        var writer = ByteWriter()
        stamp.encode(into: &writer)
        return writer.array
    }

    private let stamp = LogStamp(
        log: LogID(0xA0), mark: LogMark(position: .at(12, epoch: 3), digest: LogDigest(0xFEED)),
        leaseMilliseconds: 3_000, isClosed: true, imprint: .init(file: 7, birth: 9))

    @Test func whatWasWrittenIsRead() {
        for isClosed in [false, true] {
            var stamp = stamp
            stamp.isClosed = isClosed
            let bytes = bytes(of: stamp)
            #expect(bytes.count == LogStamp.bytes)
            #expect(bytes.withUnsafeBytes { LogStamp($0) } == stamp)
        }
        #expect(bytes(of: stamp).prefix(8) == Array("MARTLOG1".utf8)[...])
        var slots = stamp
        slots.hasSlots = true
        #expect(bytes(of: slots).prefix(8) == Array("MARTLOG2".utf8)[...])
        #expect(bytes(of: slots).withUnsafeBytes { LogStamp($0) } == slots)
        #expect(Array(bytes(of: stamp)[40..<48]) == [0xB8, 0x0B, 0, 0, 1, 0, 0, 0])
    }

    @Test func everyOtherLengthAndEveryFlippedBitIsNoticed() {
        let bytes = bytes(of: stamp)
        for count in 0..<bytes.count {
            #expect(Array(bytes[..<count]).withUnsafeBytes { LogStamp($0) } == nil)
        }
        #expect((bytes + [0]).withUnsafeBytes { LogStamp($0) } == nil)
        for bit in 0..<(8 * bytes.count) {
            #expect(SegmentSample.flipped(bytes, bit: bit).withUnsafeBytes { LogStamp($0) } == nil)
        }
    }
}
