import ByteCoding
import CacheInvalidation
import CacheModel

/// Segments made for a test, byte by byte.
enum SegmentSample {
    /// What was synchronized before each record was written.
    enum Settling {
        /// Each record was synchronized on its own.
        case each
        /// All of them were one batch.
        case asOne
    }

    static func bytes(
        _ records: [SealedRecord], after base: LogMark, settling: Settling = .each,
        zeros: Int = 0
    ) -> [UInt8] {
        var writer = ByteWriter()
        SegmentHeader(log: Chain.log, base: base, createdAt: 1_700_000_000).encode(into: &writer)
        var settled = base.position.sequence
        for record in records {
            SegmentFrame.encode(record, settled: settled, into: &writer)
            if settling == .each { settled = record.position.sequence }
        }
        writer.append(zeros: zeros)
        return writer.array
    }

    /// Where each frame ends, the header's end first.
    static func ends(_ records: [SealedRecord]) -> [Int] {
        records.reduce(into: [SegmentHeader.bytes]) { ends, record in
            ends.append((ends.last ?? 0) + SegmentFrame.bytes(around: record.bytes.count))
        }
    }

    static func scan(_ bytes: [UInt8], seeking sought: LogPosition? = nil) -> SegmentScan? {
        bytes.withUnsafeBytes { SegmentScan($0, seeking: sought) }
    }

    static func flipped(_ bytes: [UInt8], bit: Int) -> [UInt8] {
        var bytes = bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }
}
