import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// A segment of the publisher's log: read at once, frame by frame, and in pieces, which must all
/// come to the same.
///
///     mending 1 (SegmentMending), pieces 1 (bytes of each in eighths of the longest frame), file
enum SegmentFuzz: FuzzTarget {
    static let name = "segment"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let mending = SegmentMending(rawValue: script.byte())
        let pieceBytes = 1 + Int(script.byte()) * SegmentFrame.bytesMax / 8
        var file = script.restCopied()
        mending.mend(&file)
        file.withUnsafeBytes { bytes in
            _ = SegmentHeader.isOfNewerFormat(bytes)
            guard let header = SegmentHeader(bytes) else { return }
            let again = written { header.encode(into: &$0) }
            check(again.withUnsafeBytes { SegmentHeader($0) } == header, "a header is kept")
            check(SegmentName("\(header.name)") == header.name, "a name is read as it is written")
            guard let scan = SegmentScan(bytes) else { fatalError("its header is whole") }
            check(scan.usedBytes <= bytes.count, "what is whole lies in the file")
            check(scan.checkedBytes <= 2 * bytes.count, "a scan's work grows with the file")
            readFrames(of: scan, bytes)
            prove(scan, bytes, in: pieceBytes)
        }
    }

    /// As many frames as the scan says, and each is written as it was read.
    private static func readFrames(of scan: SegmentScan, _ bytes: UnsafeRawBufferPointer) {
        var offset = SegmentHeader.bytes
        var count: UInt64 = 0
        while offset < scan.usedBytes {
            guard let frame = SegmentFrame(bytes, at: offset, in: scan.header.form) else {
                fatalError("a whole frame")
            }
            if let sealed = record(in: frame) { writeAgain(sealed, as: frame) }
            offset += frame.bytes
            count += 1
        }
        let base = scan.header.base.position.sequence.rawValue
        check(scan.head.position.sequence.rawValue == base + count, "frames are counted")
        let first = scan.index.offset(atOrBefore: scan.head.position.sequence)
        check(count == 0 || first != nil, "the last frame can be found")
    }

    private static func writeAgain(_ sealed: SealedRecord, as frame: SegmentFrame) {
        let isOfFrame =
            sealed.bytes.count == frame.record.count
            && sealed.position.sequence == frame.sequence
            && sealed.record.previousDigest == frame.previousDigest
        guard isOfFrame else { return }
        let again = written {
            SegmentFrame.encode(sealed, settled: frame.settled, in: frame.form, into: &$0)
        }
        let other = again.withUnsafeBytes { bytes in
            SegmentFrame(bytes, at: 0, in: frame.form).map { ($0.digest, $0.settled, $0.bytes) }
        }
        let isSame = other.map { $0 == (frame.digest, frame.settled, frame.bytes) } ?? false
        check(isSame, "a frame is written otherwise than it was read")
    }

    /// As whoever replays the log decodes it.
    private static func record(in frame: SegmentFrame) -> SealedRecord? {
        var reader = ByteReader(frame.record)
        do throws(WireRefusal) {
            return try SealedRecord(decoding: &reader)
        } catch {
            return nil
        }
    }

    private static func prove(
        _ scan: SegmentScan, _ bytes: UnsafeRawBufferPointer, in pieceBytes: Int
    ) {
        var proof = SegmentProof(of: scan.header, to: scan.head)
        // Less than the longest frame may not hold one.
        let pieceBytes = max(pieceBytes, SegmentFrame.bytesMax)
        var rounds = 0
        while proof.standing == .unfinished {
            let end = min(bytes.count, proof.usedBytes + pieceBytes)
            let piece = UnsafeRawBufferPointer(rebasing: bytes[proof.usedBytes..<end])
            proof.read(piece, isRest: end == bytes.count)
            rounds += 1
            check(rounds <= bytes.count, "a proof ends")
        }
        check(proof.standing == .proven, "what a scan finds whole is proven")
        check(proof.usedBytes == scan.usedBytes, "both end at the same place")
    }
}
