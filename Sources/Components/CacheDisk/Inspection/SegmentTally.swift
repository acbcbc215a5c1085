/// Records, counted.
package struct SegmentTally: Equatable, Sendable {
    /// Of the log, damaged ones among them.
    package var bytes = 0
    /// Of every kind, that prove themselves; or that a footer tells of, where they are not read.
    package var records = 0
    package var tombstones = 0
    package var resets = 0
    /// Of values that are too long for one record.
    package var parts = 0
    /// Entries that are the newest of their fingerprint, and their bytes; of those in parts also
    /// the parts', and those of an older value that had the same fingerprint.
    package var live = 0
    package var liveBytes = 0
    /// Of those that are live.
    package var expired = 0
    /// Records that prove nothing, or stretches of bytes where nobody knows how many they were.
    package var damaged = 0
    /// Of those, records that a node has in its index all the same: each is a miss.
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

    /// Of the bytes; `nil` where there are none.
    package var liveShare: Double? { bytes > 0 ? Double(liveBytes) / Double(bytes) : nil }
}
