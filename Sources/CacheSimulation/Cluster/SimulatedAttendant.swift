import CacheDisk
import CacheModel
import CacheNodeCore

/// The file of one shard's disk tier as its loop sees it: what the server's `DiskAttendant` is.
struct SimulatedAttendant {
    /// What the opener's thread tells.
    enum Outcome {
        case opened(
            SimulatedTierStorage, Superblock, TierClock, writtenBy: Incarnation?, AnewCause?)
        case failed
    }

    let place: SimulatedTierPlace
    var storage: SimulatedTierStorage?
    /// When to try again; `nil` while there is a file, or one is being opened.
    var retryAt: Instant?
    /// Why what lies there must not be believed.
    var anew: AnewCause?
    var begunAt = Instant(nanoseconds: 0)
    /// A file that is still to be closed before another is opened.
    var old: SimulatedTierStorage?
    /// Which opening is the present one.
    var openings = 0
    /// Where the shard was in the publisher's log when its tier was opened first.
    var openedAt: RecoveredPlace?
    /// Whether the control thread knows where the shard begins.
    var isSaid = false
}
