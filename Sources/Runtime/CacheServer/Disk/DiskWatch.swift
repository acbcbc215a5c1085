import CacheDisk
import CacheModel

/// Watches a tier while it is opened: whether it is time to say how far it has come, and whether
/// its disk stands still.
struct DiskWatch {
    enum Finding: Equatable {
        case nothing
        case told
        /// Nothing has moved for ``ServerLimits/diskPatience``.
        case stands
    }

    private var movedAt: Instant
    private var toldAt: Instant
    private var last: RecoveryProgress?

    init(now: Instant) { (movedAt, toldAt) = (now, now) }

    /// Something has come back.
    mutating func moved(now: Instant) { movedAt = now }

    /// - Parameter progress: `nil` while the file is not open.
    mutating func look(_ progress: RecoveryProgress?, now: Instant) -> Finding {
        if progress != last { (last, movedAt) = (progress, now) }
        if now.elapsed(since: movedAt) >= ServerLimits.diskPatience { return .stands }
        guard now.elapsed(since: toldAt) >= ServerLimits.diskProgressInterval else {
            return .nothing
        }
        toldAt = now
        return .told
    }
}
