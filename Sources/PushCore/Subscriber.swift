import CacheAccess
import CacheModel

/// What is known of one subscriber.
struct Subscriber: Sendable {
    enum Stage: Hashable, Sendable {
        /// The publisher was not heard of yet.
        case waiting
        /// It has heard more than this gateway has: records up to its place are passed over, and
        /// so many heartbeats have said that the log ends before.
        case ahead(beats: Int)
        /// What it missed is being told.
        case replaying
        /// It is told what comes.
        case live
    }

    let id: SubscriberID
    let interests: [Interest]
    let view: Int
    /// Whose token it came with; `nil` where nobody is asked for one.
    let holder: AccessEntry?
    /// When its token's time is over.
    let end: Instant?
    /// Of which cluster the place is that it came with; none where that is not known, or does not
    /// matter any more.
    var cluster: ClusterID
    var stage = Stage.waiting
    /// Up to where it has been told everything. Of one who is live it is the end of the ring; `nil`
    /// for one who waits and begins at the head.
    var place: LogPosition?
    /// Sent and not taken by the reader's connection yet.
    var pendingBytes = 0
    /// When something was taken last, or there was nothing to take.
    var takenAt: Instant
    /// Whether it stands in the queue of replays.
    var isQueued = false
}
