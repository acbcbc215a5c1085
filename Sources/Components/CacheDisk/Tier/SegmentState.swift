/// What the place of one segment in the ring holds.
struct SegmentState {
    enum Use: Equatable {
        case free
        case active
        case sealed
        /// Its entries leave the index, or are appended again.
        case reclaiming
        /// It is being marked as withdrawn, and gives its room back.
        case leaving
        /// It is not in the ring, and has no room.
        case withdrawn
        /// Its room is reserved, or its mark removed.
        case returning
    }

    var use = Use.free
    var number = SegmentNumber.none
    /// Records in its footer.
    var recordCount = 0
    /// Records the index points to.
    var liveCount = 0
    /// Records that are parts of values; whether those are still of use only their entries tell.
    var partCount = 0
    /// When the last of its entries expires, as far as anybody knows.
    var lastExpiry = TierTime(milliseconds: 0)
    /// Whether its footer is in the file, and can be read.
    var isSettled = false
    /// Where its records end.
    var end = 0

    var hasParts: Bool { partCount > 0 }

    /// Whether it is sealed and has records, parts aside, to which the index points no more.
    var hasDead: Bool { use == .sealed && recordCount > liveCount + partCount }

    func hasExpired(at now: TierTime) -> Bool { use == .sealed && lastExpiry <= now }

    /// Whether nothing in it is shown any more.
    func isOver(at now: TierTime) -> Bool {
        liveCount == 0 && !hasParts || lastExpiry <= now
    }

    /// An entry, or a part of one, lies in it until then at most.
    mutating func lasts(until expiry: TierTime?) {
        lastExpiry = max(lastExpiry, expiry ?? .max)
    }
}
