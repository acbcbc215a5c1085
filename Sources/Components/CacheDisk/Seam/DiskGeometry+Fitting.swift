extension DiskGeometry {
    /// The layout of a file of at most so many bytes.
    ///
    /// About thirty-two segments, of half a mebibyte to thirty-two: small enough that the oldest
    /// thirtieth is all that is dropped at once, large enough for large values and for disks that
    /// prefer long writes. Whatever the size, a tail of at most eight mebibytes holds what the disk
    /// has not written yet.
    ///
    /// - Returns: `nil` below ``DiskLimits/fileBytesMin`` or beyond the reach of addresses.
    package static func fitting(_ bytes: Int) -> DiskGeometry? {
        guard bytes >= DiskLimits.fileBytesMin else { return nil }
        let checkpoint = share(bytes / 256, 64 << 10, 4 << 20)
        let tail = share(bytes / 64, 1 << 20, 8 << 20)
        var segment = DiskLimits.segmentBytesUsualMin
        while segment < DiskLimits.segmentBytesUsualMax, segment * 2 * 32 <= bytes { segment *= 2 }
        let fixed = DiskLimits.pageBytes + 2 * checkpoint + tail
        return DiskGeometry(
            checkpointBytes: checkpoint, tailBytes: tail, segmentBytes: segment,
            segmentCount: (bytes - fixed) / segment)
    }

    /// Whole pages, within bounds.
    private static func share(_ bytes: Int, _ least: Int, _ most: Int) -> Int {
        min(max(bytes, least), most) / DiskLimits.pageBytes * DiskLimits.pageBytes
    }
}
