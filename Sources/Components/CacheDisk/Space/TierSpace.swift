import CacheModel

/// Which places of a tier's file have room, and what is to be changed about that.
struct TierSpace {
    /// A place that is on its way out of the ring or back into it. It is in the ring and not free,
    /// so the log does not pass it.
    enum Move: Equatable {
        /// Its mark is written and its room released.
        case withdrawing(Int)
        /// Its room is reserved.
        case reserving(Int)
        /// Its mark is removed.
        case unmarking(Int)
    }

    var ring: SegmentRing
    /// `nil`: no segment is given back, and those that were return.
    var rule: DiskSpaceRule?
    var move: Move?
    /// What the last measurement asks for, and was not begun yet.
    var withdrawalsLeft = 0
    /// Whether the last measurement allows one place to return.
    var mayReturn = false
    /// Before then no place is reserved: the last one could not be.
    var retryAt = TierTime(milliseconds: 0)
    /// Before then no place is withdrawn: the last one could not be released.
    var withdrawAt = TierTime(milliseconds: 0)
    /// The file system does not make holes.
    var isRefused = false

    /// The place that is on its way, if any.
    var moving: Int? {
        switch move {
        case .withdrawing(let place), .reserving(let place), .unmarking(let place): place
        case nil: nil
        }
    }

    init(_ geometry: DiskGeometry) { ring = SegmentRing(geometry.segmentCount) }
}
