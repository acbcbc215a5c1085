extension SegmentNumber {
    /// `nil` for what no segment's number is; a damaged file may say anything.
    init?(stored: UInt64) {
        guard stored < DiskLimits.numberEnd else { return nil }
        self.init(stored)
    }
}
