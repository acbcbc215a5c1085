/// The content of one place of the ring.
struct SegmentState {
    enum Use: Equatable {
        case free
        case active
        case sealed
        /// Its entries are removed from the index, or re-appended.
        case reclaiming
        /// It is being marked as withdrawn, and releases its space.
        case leaving
        /// It is not in the ring, and has no space.
        case withdrawn
        /// Its space is reserved, or its mark removed.
        case returning
    }

    var use = Use.free
    var number = SegmentNumber.none
    /// Records in its footer.
    var recordCount = 0
    /// Records the index points to.
    var liveCount = 0
    /// Records that are parts of values; only their entries tell whether they are still in use.
    var partCount = 0
    /// The latest known expiry of its entries.
    var lastExpiry = TierTime(milliseconds: 0)
    /// Whether its footer is in the file, and can be read.
    var isSettled = false
    /// End of its records.
    var end = 0

    var hasParts: Bool { partCount > 0 }

    /// Whether it is sealed and has records, except parts, that the index no longer points to.
    var hasDead: Bool { use == .sealed && recordCount > liveCount + partCount }

    func hasExpired(at now: TierTime) -> Bool { use == .sealed && lastExpiry <= now }

    /// Whether none of its entries is visible any more.
    func isOver(at now: TierTime) -> Bool {
        liveCount == 0 && !hasParts || lastExpiry <= now
    }

    /// Notes that an entry, or a part of one, may last until then.
    mutating func lasts(until expiry: TierTime?) {
        lastExpiry = max(lastExpiry, expiry ?? .max)
    }
}
