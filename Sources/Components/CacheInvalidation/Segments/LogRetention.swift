package import CacheModel

/// How much of a log is kept, and which segments leave for it.
///
/// Segments leave as a whole, the oldest first, and the last never: what is kept exceeds a bound
/// by less than one segment.
package struct LogRetention: Hashable, Sendable {
    /// What has to be known of a segment.
    package struct Segment: Hashable, Sendable {
        package let base: SequenceNumber
        package let usedBytes: Int
        /// Wall time in seconds since 1970.
        package let createdAt: UInt64

        package init(base: SequenceNumber, usedBytes: Int, createdAt: UInt64) {
            self.base = base
            self.usedBytes = usedBytes
            self.createdAt = createdAt
        }
    }

    package var recordsMax: Int
    package var bytesMax: Int
    /// `nil`: however old.
    package var secondsMax: UInt64?

    package init(recordsMax: Int, bytesMax: Int, secondsMax: UInt64? = nil) {
        precondition(recordsMax > 0 && bytesMax > 0, "a log without room could replay nothing")
        self.recordsMax = recordsMax
        self.bytesMax = bytesMax
        self.secondsMax = secondsMax
    }

    /// How many of `segments`, oldest first, leave: each as long as the rest alone reaches a
    /// bound, or as everything in it is too old.
    ///
    /// - Parameters:
    ///   - head: the log's newest sequence number.
    ///   - now: wall time in seconds since 1970.
    /// - Complexity: O(segments).
    package func leaving(_ segments: [Segment], head: SequenceNumber, now: UInt64) -> Int {
        var bytes = segments.reduce(0) { $0 + $1.usedBytes }
        var count = 0
        while count + 1 < segments.count {
            let next = segments[count + 1]
            // Both come out of files.
            let recordsLeft = head.rawValue - min(head.rawValue, next.base.rawValue)
            bytes -= segments[count].usedBytes
            // Nothing in a segment is younger than the one after it.
            let age = now - min(now, next.createdAt)
            let isOld = secondsMax.map { $0 < age } ?? false
            guard isOld || bytes >= bytesMax || recordsLeft >= UInt64(recordsMax) else { break }
            count += 1
        }
        return count
    }
}
