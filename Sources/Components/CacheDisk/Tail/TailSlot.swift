/// One buffer of the tail: a run of the log that is not yet in a segment.
struct TailSlot {
    enum Use: Equatable {
        case free
        /// Records are appended to it.
        case open
        /// Its bytes are being written to their segment.
        case writing(DiskTicket)
    }

    /// Bytes before its records, which identify the run.
    static let headBytes = 32
    /// "MARTDSL1"
    static let magic: UInt64 = 0x314C_5344_5452_414D
    /// "MARTDSE1": never used, or its opening was interrupted. Not zeros, which a lost page has
    /// too.
    static let emptyMagic: UInt64 = 0x3145_5344_5452_414D

    var use = Use.free
    var segment = SegmentNumber.none
    /// Start of its run in the segment.
    var start = 0
    /// Bytes of records.
    var count = 0

    /// Whether it holds the record at this offset of that segment.
    func holds(_ offset: Int, of segment: SegmentNumber) -> Bool {
        use != .free && self.segment == segment && offset >= start && offset < start + count
    }
}
