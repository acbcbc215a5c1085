/// Every bound of this module.
package enum AccessLimits {
    /// Between two looks at the list's file: about the time that a revoked key has left.
    package static let lookInterval = Duration.milliseconds(250)
    /// Between a look that found another text and the one that takes it, if it is still there.
    package static let settleInterval = Duration.milliseconds(25)
    /// How long a process's own endpoints may take to refuse an unknown key.
    package static let testPatience = Duration.seconds(5)
    /// Refused clients that are named in the log within ``complaintInterval``; the rest are not.
    package static let complaintsMax = 16
    package static let complaintInterval = Duration.seconds(60)
    /// How long a key that asked for topics without end is banned from the live channel, in
    /// seconds.
    package static let banTime = 600
    /// Longest file with a key.
    package static let keyFileBytesMax = 4_096
    /// Events that wait to be written into the audit log; beyond that a line is lost, and counted.
    package static let auditLettersMax = 16_384
    package static let auditLetterBytesMax = 16 << 20
    /// Lines are handed to the system in pieces of about this.
    package static let auditBatchBytes = 256 << 10
    /// Between two attempts on a disk that takes nothing.
    package static let auditRetryInterval = Duration.seconds(1)
    /// How large an audit file may be, and how many there may be.
    package static let auditFileBytes = (64 << 10)...(16 << 30)
    package static let auditFileCount = 2...1_000
}
