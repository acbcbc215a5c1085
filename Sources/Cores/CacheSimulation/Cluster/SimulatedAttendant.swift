import CacheDisk
import CacheModel
import CacheNodeCore

/// The disk tier's file as seen by a shard's loop: the counterpart of the server's `DiskAttendant`.
struct SimulatedAttendant {
    /// The reports of the opener's thread.
    enum Outcome {
        case opened(
            SimulatedTierStorage, Superblock, TierClock, writtenBy: Incarnation?, AnewCause?)
        case failed
    }

    let place: SimulatedTierPlace
    var storage: SimulatedTierStorage?
    /// When to retry; `nil` while there is a file, or one is being opened.
    var retryAt: Instant?
    /// Why the contents of the file must be discarded.
    var anew: AnewCause?
    var begunAt = Instant(nanoseconds: 0)
    /// A file to close before another one is opened.
    var old: SimulatedTierStorage?
    /// The number of the present opening.
    var openings = 0
    /// The shard's position in the publisher's log when its tier was first opened.
    var openedAt: RecoveredPlace?
    /// Whether the control thread knows the shard's start position.
    var isSaid = false
}
