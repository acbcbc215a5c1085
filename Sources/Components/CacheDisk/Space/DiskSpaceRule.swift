/// How much space a node leaves free on the file system of its disk tier.
///
/// Every shard of the node measures the same free space and acts on its own: shortage and surplus
/// are divided by their number.
package struct DiskSpaceRule: Hashable, Sendable {
    /// In bytes.
    package let leftFreeBytes: Int
    /// Shards of the node; at least 1.
    package let shardCount: Int

    package init(leftFreeBytes: Int, shardCount: Int) {
        precondition(leftFreeBytes >= 0 && shardCount > 0, "a node has a shard")
        (self.leftFreeBytes, self.shardCount) = (leftFreeBytes, shardCount)
    }

    /// How many segments a shard has to release so that enough is free.
    func missingSegments(freeBytes: Int, _ geometry: DiskGeometry) -> Int {
        guard freeBytes < leftFreeBytes else { return 0 }
        let step = geometry.releasableBytes * shardCount
        return (leftFreeBytes - freeBytes + step - 1) / step
    }

    /// Whether every shard may take a segment back, with enough left above the limit that no shard
    /// releases one because of it.
    func hasRoom(freeBytes: Int, _ geometry: DiskGeometry) -> Bool {
        let step = geometry.releasableBytes * shardCount
        return freeBytes - step >= leftFreeBytes + max(leftFreeBytes / 8, step)
    }

    /// The number of segments with space in a new tier.
    ///
    /// - Parameters:
    ///   - freeBytes: of the file system.
    ///   - nodeBytes: used already by the tiers of the node's shards.
    ///   - fileBytes: the part of it used by this shard's tier.
    /// - Returns: as many as fit the shard's part, and no more than is free beside the others; but
    ///   at least ``DiskGeometry/segmentCountMin``, for which there may be no space.
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
    /// What a place without space keeps at its start.
    package static let keptBytes = DiskLimits.pageBytes

    /// Bytes released by one segment; 0 for one that is a single page.
    var releasableBytes: Int { segmentBytes - Self.keptBytes }

    /// The minimum number of segments that a tier keeps.
    package var segmentCountMin: Int {
        min(segmentCount, max(DiskLimits.segmentsKeptMin, segmentCount / 8))
    }

    /// Bytes of a file in which so many segments have space.
    package func roomBytes(_ count: Int) -> Int {
        segmentsOffset + segmentCount * Self.keptBytes + count * releasableBytes
    }

    /// The range of the file that a place releases and reserves again.
    package func releasable(_ place: Int) -> Range<Int> {
        let from = segmentsOffset + place * segmentBytes
        return from + Self.keptBytes..<from + segmentBytes
    }
}
