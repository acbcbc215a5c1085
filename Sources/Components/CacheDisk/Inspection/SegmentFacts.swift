/// The content of one segment of the log.
package struct SegmentFacts: Equatable, Sendable {
    /// Bytes that describe other bytes.
    package enum Piece: Equatable, Sendable {
        case whole
        /// It was not written, or is of an earlier round of the ring: as after a kill.
        case missing
        case damaged
    }

    package enum Use: Sendable {
        /// It is the newest: it was active when the tier ended.
        case active
        /// Its footer lists its records.
        case sealed
        /// It has no usable footer: its records are read one by one.
        case unsealed
    }

    package let number: SegmentNumber
    package internal(set) var use: Use
    /// Its place in the ring.
    let ring: Int
    package internal(set) var header: Piece
    /// `nil` for the active segment.
    package internal(set) var footer: Piece?
    /// Whether the end of its records is known.
    package internal(set) var isEndKnown = true
    /// Nothing in it is valid.
    package internal(set) var isVoid = false
    package internal(set) var tally = SegmentTally()

    /// The number of its pieces that differ from what was written.
    ///
    /// - Parameter isClosed: the tier was closed in order, so everything had been written.
    package func damageCount(isClosed: Bool) -> Int {
        let pieces = [header, footer].count { $0 == .damaged || ($0 == .missing && isClosed) }
        return tally.damaged + pieces + (isEndKnown ? 0 : 1)
    }
}

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
