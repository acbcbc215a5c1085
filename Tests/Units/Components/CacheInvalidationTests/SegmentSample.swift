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

    static let salted = FrameForm.salted(FileSalt.sample)

    static func header(after base: LogMark, in form: FrameForm = salted) -> SegmentHeader {
        SegmentHeader(log: Chain.log, base: base, createdAt: 1_700_000_000, form: form)
    }

    static func bytes(
        _ records: [SealedRecord], after base: LogMark, settling: Settling = .each,
        zeros: Int = 0, in form: FrameForm = salted
    ) -> [UInt8] {
        var writer = ByteWriter()
        header(after: base, in: form).encode(into: &writer)
        var settled = base.position.sequence
        for record in records {
            SegmentFrame.encode(record, settled: settled, in: form, into: &writer)
            if settling == .each { settled = record.position.sequence }
        }
        writer.append(zeros: zeros)
        return writer.array
    }

    /// Where each frame ends, the header's end first.
    static func ends(_ records: [SealedRecord], in form: FrameForm = salted) -> [Int] {
        records.reduce(into: [SegmentHeader.bytes]) { ends, record in
            ends.append((ends.last ?? 0) + form.frameBytes(around: record.bytes.count))
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

extension FileSalt {
    static var sample: FileSalt {
        guard let salt = FileSalt(rawValue: 0x0A0B_0C0D_0E0F_1011) else {
            preconditionFailure("it is not zero")
        }
        return salt
    }
}
