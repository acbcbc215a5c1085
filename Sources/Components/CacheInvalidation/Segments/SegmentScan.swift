import ByteCoding
package import CacheModel

/// Reads a segment from front to back, proves what is whole, and judges how it ends.
///
/// What is whole is a chain: every frame has its checksum, the next number and the digest of the
/// record before it. Behind the last whole frame there may be
///
/// - nothing, or zeros: room that was reserved. The segment is **whole**.
/// - something else, in which no frame is found that says what is missing here was synchronized
///   once: the end of a write that never finished. The segment is **torn**.
/// - such a frame: something that was whole is not any more. The segment is **damaged**.
///
/// A record's bytes, which hold what clients have named, are taken for no frame: they do not have
/// the segment's salt. In format 1, which has none, the search for frames behind the end may come
/// upon forged ones. It compares numbers first, and where more looks like frames than there can be,
/// the segment counts as damaged.
///
/// - Complexity: O(bytes), whatever they are.
package struct SegmentScan {
    package enum Ending: Hashable, Sendable { case whole, torn, damaged }

    package let header: SegmentHeader
    /// The log after the last whole frame.
    package private(set) var head: LogMark
    /// Where the last whole frame ends.
    package private(set) var usedBytes = SegmentHeader.bytes
    package private(set) var index = SegmentIndex()
    package private(set) var ending = Ending.whole
    /// Of how many bytes a checksum was taken.
    package private(set) var checkedBytes = 0
    /// The digest at the position that was looked for, if it lies in this segment.
    package private(set) var digestSought: LogDigest?

    /// - Parameter sought: a position; its digest is returned as ``digestSought``.
    /// - Returns: `nil` where the header is damaged.
    package init?(_ bytes: UnsafeRawBufferPointer, seeking sought: LogPosition? = nil) {
        guard let header = SegmentHeader(bytes) else { return nil }
        self.header = header
        head = header.base
        if sought == head.position { digestSought = head.digest }
        while let frame = SegmentFrame(bytes, at: usedBytes, in: header.form), follows(frame) {
            checkedBytes += frame.bytes
            index.note(frame.sequence, at: usedBytes)
            head = LogMark(position: head.position.next, digest: frame.digest)
            usedBytes += frame.bytes
            if sought == head.position { digestSought = head.digest }
        }
        ending = judgeEnd(bytes)
    }

    private func follows(_ frame: SegmentFrame) -> Bool {
        frame.sequence.rawValue == head.position.sequence.rawValue + 1
            && frame.previousDigest == head.digest
    }

    private mutating func judgeEnd(_ bytes: UnsafeRawBufferPointer) -> Ending {
        // Frames begin at multiples of eight, so what is not zero may belong to one that begins
        // before it.
        guard let first = firstRemainder(bytes) else { return .whole }
        let form = header.form
        var offset = max(usedBytes, first - form.headBytes)
        // Frames do not overlap: all there can be are checked for once the bytes.
        let checkedMax = checkedBytes + bytes.count - offset
        while offset < bytes.count {
            if let found = SegmentFrame.head(bytes, at: offset, in: form), isBehind(found, bytes) {
                checkedBytes += form.frameBytes(around: found.recordBytes)
                guard checkedBytes <= checkedMax,
                    SegmentFrame(bytes, at: offset, in: form) == nil
                else { return .damaged }
            }
            offset += 8
        }
        return .torn
    }

    /// Whether a frame says that what is missing here was synchronized once, and has a number that
    /// one of this segment can have.
    private func isBehind(_ found: SegmentFrame.Head, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let sequence = head.position.sequence.rawValue
        let room = UInt64((bytes.count - usedBytes) / FrameForm.frameBytesMin)
        return found.settled > sequence && found.sequence - sequence <= room
    }

    /// The first eight bytes behind the last whole frame that are not all zero.
    private func firstRemainder(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var offset = usedBytes
        while bytes.count - offset >= 8, StableHash.word(bytes, offset) == 0 { offset += 8 }
        return bytes[offset...].contains { $0 != 0 } ? offset : nil
    }
}
