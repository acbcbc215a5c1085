import CacheModel

/// Which places of a tier's file have space, and pending changes to that.
struct TierSpace {
    /// A place that is leaving the ring or returning to it. It is in the ring and not free, so the
    /// log does not pass it.
    enum Move: Equatable {
        /// Its mark is written and its space released.
        case withdrawing(Int)
        /// Its space is reserved.
        case reserving(Int)
        /// Its mark is removed.
        case unmarking(Int)
    }

    var ring: SegmentRing
    /// `nil`: no segment is released, and withdrawn ones return.
    var rule: DiskSpaceRule?
    var move: Move?
    /// Withdrawals due by the last measurement and not started.
    var withdrawalsLeft = 0
    /// Whether the last measurement allows one place to return.
    var mayReturn = false
    /// No place is reserved before this time, because the last reservation failed.
    var retryAt = TierTime(milliseconds: 0)
    /// No place is withdrawn before this time, because the last release failed.
    var withdrawAt = TierTime(milliseconds: 0)
    /// The file system does not support holes.
    var isRefused = false

    /// The place that is changing, if any.
    var moving: Int? {
        switch move {
        case .withdrawing(let place), .reserving(let place), .unmarking(let place): place
        case nil: nil
        }
    }

    init(_ geometry: DiskGeometry) { ring = SegmentRing(geometry.segmentCount) }
}
