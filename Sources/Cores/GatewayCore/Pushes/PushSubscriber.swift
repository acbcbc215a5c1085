import CacheAccess
import CacheModel

/// The state of one subscriber.
struct PushSubscriber: Sendable {
    enum Stage: Hashable, Sendable {
        /// The publisher was not heard of yet.
        case waiting
        /// It has received more than this gateway has: records up to its position are skipped. So
        /// many heartbeats have reported a head before that position.
        case ahead(beats: Int)
        /// It is sent the records that it missed.
        case replaying
        /// It is sent each new record.
        case live
    }

    let id: SubscriberID
    let interests: [Interest]
    let view: Int
    /// The entry of its token; `nil` where no token is required.
    let holder: AccessEntry?
    /// When its token expires.
    let end: Instant?
    /// The cluster of the position that it came with; none where that is not known, or no longer
    /// matters.
    var cluster: ClusterID
    var stage = Stage.waiting
    /// The position up to which it has been sent everything. A live subscriber is at the end of the
    /// ring instead; `nil` while it waits to begin at the head.
    var place: LogPosition?
    /// Bytes that were sent and not yet taken by the reader's connection.
    var pendingBytes = 0
    /// When bytes were last taken, or none were waiting.
    var takenAt: Instant
    /// Whether it is in the queue of replays.
    var isQueued = false
}
