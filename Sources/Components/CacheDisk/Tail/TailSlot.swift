/// One buffer of the tail: a run of the log that no segment has yet.
struct TailSlot {
    enum Use: Equatable {
        case free
        /// Records are appended to it.
        case open
        /// Its bytes are on their way to their segment.
        case writing(DiskTicket)
    }

    /// Before its records: which run it is.
    static let headBytes = 32
    /// "MARTDSL1"
    static let magic: UInt64 = 0x314C_5344_5452_414D
    /// "MARTDSE1": it was never used, or who opened it was ended while he did. Not zeros, which a
    /// page that was lost has too.
    static let emptyMagic: UInt64 = 0x3145_5344_5452_414D

    var use = Use.free
    var segment = SegmentNumber.none
    /// Where in the segment its run begins.
    var start = 0
    /// Bytes of records.
    var count = 0

    /// Whether the record at this offset of that segment lies here.
    func holds(_ offset: Int, of segment: SegmentNumber) -> Bool {
        use != .free && self.segment == segment && offset >= start && offset < start + count
    }
}
