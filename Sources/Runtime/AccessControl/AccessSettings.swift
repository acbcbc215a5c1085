package import ZeroMQ

/// The keys of a listening process, and its access control list.
package struct AccessSettings: Sendable {
    package var keys: CurveKeyPair
    /// The file with the list of public keys.
    package var listFile: String
    /// A second key for its clients, while they move from one key to another; `nil`: there is none.
    package var second: SecondKey?

    package init(keys: CurveKeyPair, listFile: String) {
        self.keys = keys
        self.listFile = listFile
    }
}

/// Another key of a listening process, and its endpoints with that key: for the time in which
/// clients move from one of two keys to the other.
///
///      clients with the old key ══▶ second endpoint ─┐
///                                                    ├─ one socket, one list, one handler
///      clients with the new key ══▶ first endpoint ──┘
///
/// The second key serves incoming connections alone: the process shows the first key when it
/// connects, and advertises endpoints with the first key.
package struct SecondKey: Sendable {
    package var keys: CurveKeyPair
    /// In the order of the first endpoints, each on the socket of its counterpart: of a node one
    /// for each shard, of a publisher control and live.
    package var endpoints: [Endpoint]

    package init(keys: CurveKeyPair, endpoints: [Endpoint]) {
        self.keys = keys
        self.endpoints = endpoints
    }
}

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
