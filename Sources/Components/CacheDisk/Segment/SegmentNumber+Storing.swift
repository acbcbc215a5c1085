extension SegmentNumber {
    /// `nil` for an invalid number, as in a damaged file.
    init?(stored: UInt64) {
        guard stored < DiskLimits.numberEnd else { return nil }
        self.init(stored)
    }
}
