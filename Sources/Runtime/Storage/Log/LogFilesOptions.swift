package import CacheInvalidation
import LibC

/// The directory of a log, its durability and its retention.
package struct LogFilesOptions: Sendable {
    /// Made if it is missing. It should hold no other files; they are left alone.
    package var directory: String
    package var sync = LogSync.always
    package var retention: LogRetention
    /// Bytes a segment is reserved with.
    package var segmentBytes: Int
    /// The longest lease that will be granted, in milliseconds.
    package var leaseMilliseconds: UInt32 = 0
    /// The longest lease that an earlier publisher is taken to have granted where that is unknown.
    package var unknownLeaseMilliseconds = LogFilesLimits.leaseMillisecondsMax
    /// The longest lease that an earlier publisher may have granted.
    var inheritedLeaseMilliseconds: UInt32 = 0
    /// Whether the publisher is to assign slots.
    package var mayBeginSlots = false
    /// Whether to begin a new epoch whatever the log says.
    package var isNewEpochWanted = false
    /// How long a disk that refuses appends is left alone before it is tried without one.
    package var probeInterval = LogFilesLimits.probeInterval
    /// Makes calls fail, for tests.
    package var faults = LogFaults.none

    package init(directory: String, retention: LogRetention) {
        self.directory = directory
        self.retention = retention
        segmentBytes = min(
            max(
                retention.bytesMax / LogFilesLimits.segmentsWanted,
                LogFilesLimits.segmentBytes.lowerBound),
            LogFilesLimits.segmentBytes.upperBound)
    }

    /// Whether there is a log in a directory, whole or not. Nothing is changed.
    package static func isLog(at directory: String) -> Bool {
        access(directory + "/stamp", F_OK) == 0
    }
}
