/// How much free space a node leaves on the file system of its disk tier.
///
/// Every shard of the node measures the same free space and acts for itself: what is missing, and
/// what there is, are divided by their number.
package struct DiskSpaceRule: Hashable, Sendable {
    /// In bytes.
    package let leftFreeBytes: Int
    /// Of the node; at least 1.
    package let shardCount: Int

    package init(leftFreeBytes: Int, shardCount: Int) {
        precondition(leftFreeBytes >= 0 && shardCount > 0, "a node has a shard")
        (self.leftFreeBytes, self.shardCount) = (leftFreeBytes, shardCount)
    }

    /// How many segments a shard is to give back so that enough is free.
    func missingSegments(freeBytes: Int, _ geometry: DiskGeometry) -> Int {
        guard freeBytes < leftFreeBytes else { return 0 }
        let step = geometry.releasableBytes * shardCount
        return (leftFreeBytes - freeBytes + step - 1) / step
    }

    /// Whether every shard may take a segment back, and what is free is far enough above the limit
    /// then that no shard gives one back for it.
    func hasRoom(freeBytes: Int, _ geometry: DiskGeometry) -> Bool {
        let step = geometry.releasableBytes * shardCount
        return freeBytes - step >= leftFreeBytes + max(leftFreeBytes / 8, step)
    }

    /// With how many segments a tier is made.
    ///
    /// - Parameters:
    ///   - freeBytes: of the file system.
    ///   - nodeBytes: what the tiers of the node's shards have already.
    ///   - fileBytes: of that, what this shard's has.
    /// - Returns: as many as the shard's part of it has room for, and no more than what is free
    ///   beside the others; but at least ``DiskGeometry/segmentCountMin``: for so many there may be
    ///   no room.
    package func segmentCount(
        freeBytes: Int, nodeBytes: Int, fileBytes: Int, _ geometry: DiskGeometry
    ) -> Int {
        guard geometry.releasableBytes > 0 else { return geometry.segmentCount }
        // No file system has half of this: the sums below do not overflow.
        let usable = min(freeBytes, .max / 4) - leftFreeBytes
        let share = max(0, usable + nodeBytes) / shardCount
        let bytes = min(share, max(0, usable + fileBytes))
        let count = (bytes - geometry.roomBytes(0)) / geometry.releasableBytes
        return min(geometry.segmentCount, max(geometry.segmentCountMin, count))
    }
}

extension DiskGeometry {
    /// Of a place without room, what it keeps at its beginning.
    package static let keptBytes = DiskLimits.pageBytes

    /// What one segment gives back; 0 for one that is a single page.
    var releasableBytes: Int { segmentBytes - Self.keptBytes }

    /// The least number of segments that a tier keeps.
    package var segmentCountMin: Int {
        min(segmentCount, max(DiskLimits.segmentsKeptMin, segmentCount / 8))
    }

    /// What a file takes in which so many segments have room.
    package func roomBytes(_ count: Int) -> Int {
        segmentsOffset + segmentCount * Self.keptBytes + count * releasableBytes
    }

    /// What a place gives back and gets again, in the file.
    package func releasable(_ place: Int) -> Range<Int> {
        let from = segmentsOffset + place * segmentBytes
        return from + Self.keptBytes..<from + segmentBytes
    }
}
