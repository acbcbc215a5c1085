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
