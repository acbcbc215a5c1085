/// What the place of one segment in the ring holds.
struct SegmentState {
    enum Use: Equatable {
        case free
        case active
        case sealed
        /// Its entries leave the index; what was used is appended again.
        case reclaiming
    }

    var use = Use.free
    var number = SegmentNumber.none
    /// Records in its footer.
    var recordCount = 0
    /// Records the index points to.
    var liveCount = 0
    /// Whether its footer is in the file, and can be read.
    var isSettled = false
    /// Where its records end.
    var end = 0
}
