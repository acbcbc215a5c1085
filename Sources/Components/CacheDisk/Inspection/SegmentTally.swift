/// Counts of records.
package struct SegmentTally: Equatable, Sendable {
    /// Bytes of the log, including damaged ones.
    package var bytes = 0
    /// Records of every kind with a valid checksum; or those in a footer, if records are not read.
    package var records = 0
    package var tombstones = 0
    package var resets = 0
    /// Parts of values that are too long for one record.
    package var parts = 0
    /// Entries that are the newest of their fingerprint, and their bytes; for those in parts also
    /// the parts' bytes, and those of an older value with the same fingerprint.
    package var live = 0
    package var liveBytes = 0
    /// Of those that are live.
    package var expired = 0
    /// Damaged records, or damaged ranges with an unknown number of records.
    package var damaged = 0
    /// Those of them that a node has in its index all the same: each is a miss.
    package var damagedLive = 0

    package mutating func add(_ other: SegmentTally) {
        bytes += other.bytes
        records += other.records
        tombstones += other.tombstones
        resets += other.resets
        parts += other.parts
        live += other.live
        liveBytes += other.liveBytes
        expired += other.expired
        damaged += other.damaged
        damagedLive += other.damagedLive
    }

    /// Live share of the bytes; `nil` if there are none.
    package var liveShare: Double? { bytes > 0 ? Double(liveBytes) / Double(bytes) : nil }
}
