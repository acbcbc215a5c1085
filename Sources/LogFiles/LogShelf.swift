import CacheInvalidation
import CacheModel

/// What of a log can be read from files: the log thread puts it there, the publisher's reads it.
struct LogShelf: Sendable {
    /// One segment, and how much of it is whole.
    struct Segment: Sendable {
        let header: SegmentHeader
        let path: String
        var head: LogMark
        var usedBytes: Int
        var index: SegmentIndex

        var name: SegmentName { header.name }
    }

    var log = LogID.none
    var epoch = Epoch.none
    /// Contiguous, oldest first.
    var segments: [Segment] = []

    /// The segment that holds the record after `sequence`.
    ///
    /// - Complexity: O(segments).
    func segment(after sequence: SequenceNumber) -> Segment? {
        guard let segment = segments.last(where: { $0.header.base.position.sequence <= sequence })
        else { return nil }
        return sequence < segment.head.position.sequence ? segment : nil
    }
}
