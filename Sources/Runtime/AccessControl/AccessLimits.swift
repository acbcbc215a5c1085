/// Bounds of this module.
package enum AccessLimits {
    /// Between two reads of the list's file: approximately the time after which a revoked key is
    /// rejected.
    package static let lookInterval = Duration.milliseconds(250)
    /// Between a read that found a changed text and the one that accepts it, if it is unchanged.
    package static let settleInterval = Duration.milliseconds(25)
    /// How long a process's own endpoints may take to refuse an unknown key.
    package static let testPatience = Duration.seconds(5)
    /// Maximum refused clients logged within ``complaintInterval``; others are not.
    package static let complaintsMax = 16
    package static let complaintInterval = Duration.seconds(60)
    /// How long a key that subscribed to topics without end is banned from the live channel, in
    /// seconds.
    package static let banTime = 600
    /// Longest key file.
    package static let keyFileBytesMax = 4_096
    /// Maximum events waiting to be written to the audit log; beyond that a line is lost, and
    /// counted.
    package static let auditLettersMax = 16_384
    package static let auditLetterBytesMax = 16 << 20
    /// Approximate size of the pieces in which lines are written.
    package static let auditBatchBytes = 256 << 10
    /// Between two attempts on a disk that accepts nothing.
    package static let auditRetryInterval = Duration.seconds(1)
    /// Size of an audit file, and the number of files.
    package static let auditFileBytes = (64 << 10)...(16 << 30)
    package static let auditFileCount = 2...1_000
}
