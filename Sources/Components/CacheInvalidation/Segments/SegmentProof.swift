package import CacheModel

/// Proves a sealed segment piece by piece: that its frames are one chain from where its header
/// says it begins to where the next one's header says it ends.
///
/// No record in it is used before it is ``Standing/proven``. Bytes behind its end are not read.
///
/// - Complexity: O(bytes) for all pieces together.
package struct SegmentProof: Sendable {
    package enum Standing: Hashable, Sendable {
        /// The bytes from ``usedBytes`` on are wanted.
        case unfinished
        case proven
        /// What is whole ends at ``usedBytes``.
        case damaged
    }

    private let form: FrameForm
    private let end: LogMark
    private var head: LogMark
    /// Up to there it is one chain.
    package private(set) var usedBytes = SegmentHeader.bytes
    package private(set) var index = SegmentIndex()
    package private(set) var standing = Standing.unfinished

    /// - Parameters:
    ///   - header: of the segment: where it begins, and how its frames lie.
    ///   - end: where the next segment begins.
    package init(of header: SegmentHeader, to end: LogMark) {
        self.end = end
        form = header.form
        head = header.base
        settleIfOver()
    }

    /// Takes bytes of the segment from ``usedBytes`` on.
    ///
    /// - Parameters:
    ///   - bytes: as many as the longest frame has, or all that are left.
    ///   - isRest: whether the file ends with them.
    package mutating func read(_ bytes: UnsafeRawBufferPointer, isRest: Bool) {
        var offset = 0
        while standing == .unfinished {
            guard let frame = SegmentFrame(bytes, at: offset, in: form),
                head.position.sequence < .max,
                frame.sequence == head.position.sequence.next, frame.previousDigest == head.digest
            else {
                let isCutShort = bytes.count - offset < SegmentFrame.bytesMax
                standing = isCutShort && !isRest && offset > 0 ? .unfinished : .damaged
                return
            }
            index.note(frame.sequence, at: usedBytes)
            head = LogMark(position: head.position.next, digest: frame.digest)
            offset += frame.bytes
            usedBytes += frame.bytes
            settleIfOver()
        }
    }

    private mutating func settleIfOver() {
        guard head.position >= end.position else { return }
        standing = head == end ? .proven : .damaged
    }
}
