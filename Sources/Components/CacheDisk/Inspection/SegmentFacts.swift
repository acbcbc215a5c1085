/// What lies in one segment of the log.
package struct SegmentFacts: Equatable, Sendable {
    /// Bytes that tell of others.
    package enum Piece: Equatable, Sendable {
        case whole
        /// It was not written, or is of an earlier round of the ring: as a kill leaves it.
        case missing
        case damaged
    }

    package enum Use: Sendable {
        /// It is the newest: it was written when the tier ended.
        case active
        /// Its footer tells what is in it.
        case sealed
        /// It has no footer that can be used: its records are read one by one.
        case unsealed
    }

    package let number: SegmentNumber
    package internal(set) var use: Use
    /// Its place in the ring.
    let ring: Int
    package internal(set) var header: Piece
    /// The active one has none.
    package internal(set) var footer: Piece?
    /// Whether it is known where its records end.
    package internal(set) var isEndKnown = true
    /// Nothing in it is believed.
    package internal(set) var isVoid = false
    package internal(set) var tally = SegmentTally()

    /// Pieces of it that are not what was written.
    ///
    /// - Parameter isClosed: the tier was ended in order, so everything had been written.
    package func damageCount(isClosed: Bool) -> Int {
        let pieces = [header, footer].count { $0 == .damaged || ($0 == .missing && isClosed) }
        return tally.damaged + pieces + (isEndKnown ? 0 : 1)
    }
}
