/// The layout of a tier's file. docs/disk-format.md draws it.
package struct DiskGeometry: Equatable, Sendable {
    /// Of each of the two checkpoints.
    package let checkpointBytes: Int
    package let tailBytes: Int
    package let segmentBytes: Int
    package let segmentCount: Int

    /// - Returns: `nil` for impossible sizes.
    package init?(
        checkpointBytes: Int, tailBytes: Int, segmentBytes: Int, segmentCount: Int
    ) {
        let page = DiskLimits.pageBytes
        guard
            (page...DiskLimits.checkpointBytesMax).contains(checkpointBytes),
            (DiskLimits.tailBytesMin...DiskLimits.tailBytesMax).contains(tailBytes),
            (DiskLimits.segmentBytesMin...DiskLimits.segmentBytesMax).contains(segmentBytes),
            checkpointBytes % page == 0, tailBytes % page == 0,
            segmentBytes.nonzeroBitCount == 1,
            (DiskLimits.segmentsMin...DiskLimits.segmentBytesAllMax / segmentBytes)
                .contains(segmentCount)
        else { return nil }
        self.checkpointBytes = checkpointBytes
        self.tailBytes = tailBytes
        self.segmentBytes = segmentBytes
        self.segmentCount = segmentCount
    }

    package func checkpointOffset(_ number: Int) -> Int {
        DiskLimits.pageBytes + number * checkpointBytes
    }

    package var tailOffset: Int { DiskLimits.pageBytes + 2 * checkpointBytes }

    /// Offset of the first segment.
    package var segmentsOffset: Int { tailOffset + tailBytes }

    /// Whether a record may start at that offset of a segment.
    func mayBeRecord(at offset: Int) -> Bool {
        (DiskSegmentHeader.bytes..<segmentBytes).contains(offset)
            && offset % RecordAddress.unitBytes == 0
    }

    /// Bytes of all segments.
    package var ringBytes: Int { segmentBytes * segmentCount }

    /// Bytes of the file.
    package var fileBytes: Int { segmentsOffset + ringBytes }
}
