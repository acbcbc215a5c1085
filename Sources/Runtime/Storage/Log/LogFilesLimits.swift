import CacheInvalidation
import CacheModel

/// Every bound of a log on disk, side by side.
package enum LogFilesLimits {
    /// Bytes that a segment is reserved with. The greater, the coarser retention is; the smaller,
    /// the more often an append waits for a new file.
    static let segmentBytes = 256 << 10...64 << 20
    /// How many segments the kept records should make.
    static let segmentsWanted = 8
    /// Most bytes that one reading takes from the files; a replay sends no more than half of it.
    static let readBytesMax = 512 << 10
    /// Bytes of a sealed segment that are proven at one time, and the rest before the next: an
    /// append waits for one such piece at worst.
    static let proofBytes = 256 << 10
    static let proofRest: Duration = .milliseconds(2)
    /// Longest that the files beside the segments can be, and a write queue's journal.
    static let smallFileBytesMax = 1 << 30
    /// Bytes of the floors that are written at one time, each time with an fsync.
    static let floorsPieceBytes = 256 << 10
    /// Records that are read at one time to rebuild the floors.
    static let floorsRecordsAtOnce = 4_096
    /// Bytes of records that stay in memory for replays, beside the files.
    static let windowBytesMax = 8 << 20
    /// Digests that stay in memory, for the marks of nodes that are a little behind.
    static let windowDigestsMax = 131_072
    /// How long written bytes may wait for their fsync in the mode `interval`.
    package static let syncInterval: Duration = .milliseconds(100)
    /// The lease in the stamp where it is unknown what an earlier publisher granted.
    static let leaseMillisecondsMax = UInt32(
        clamping: InvalidationLimits.leaseMax.wholeMilliseconds)
    /// How long an epoch that could not be put on the disk waits for the next attempt.
    static let beginRetry: Duration = .seconds(1)
    /// How long a disk that refuses appends is left alone before it is tried without one.
    static let probeInterval: Duration = .seconds(2)
    /// How often records that became too old are looked for while nothing is appended.
    static let retentionPeriod: Duration = .seconds(60)

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(
            SegmentFrame.bytesMax(of: 65_536) <= readBytesMax, "a reading finds a whole record")
        precondition(SegmentFrame.bytesMax <= proofBytes, "a piece holds a whole frame")
        precondition(
            segmentBytes.lowerBound > SegmentHeader.bytes + SegmentFrame.bytesMax(of: 65_536),
            "a segment has room for the largest record")
        precondition(
            windowBytesMax >= readBytesMax, "a reader that is only a little behind needs no file")
    }
}
