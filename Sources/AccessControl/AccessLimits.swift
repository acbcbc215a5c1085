/// Every bound of this module.
package enum AccessLimits {
    /// Between two looks at the list's file: what a revoked key has left, about.
    package static let lookInterval = Duration.milliseconds(250)
    /// Between a look that found another text and the one that takes it, if it is still there.
    package static let settleInterval = Duration.milliseconds(25)
    /// How long a process's own doors may take to turn a stranger away.
    package static let testPatience = Duration.seconds(5)
    /// Strangers that are named in the log within ``complaintInterval``; the rest are not.
    package static let complaintsMax = 16
    package static let complaintInterval = Duration.seconds(60)
    /// Longest file with a key.
    package static let keyFileBytesMax = 4_096
}
