import CacheInvalidation
import CacheModel
import CacheWire

/// A record in a segment that is whole, and of a form that this release cannot read.
enum NewerRecord {
    /// Where the first one is. What is damaged ends the search.
    ///
    /// - Complexity: O(bytes).
    static func first(in segment: UnsafeRawBufferPointer) -> LogPosition? {
        guard let header = SegmentHeader(segment) else { return nil }
        var offset = SegmentHeader.bytes
        while let frame = SegmentFrame(segment, at: offset, in: header.form) {
            guard SealedRecord.isOfKnownForm(frame.record) else {
                return LogPosition(epoch: header.base.position.epoch, sequence: frame.sequence)
            }
            offset += frame.bytes
        }
        return nil
    }
}
