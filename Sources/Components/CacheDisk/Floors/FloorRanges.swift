/// The floors of one scope by ranges of route hashes: disjoint, ascending, found by binary search.
/// Neighbours with equal floors are merged.
struct FloorRanges: Equatable, Sendable {
    struct Piece: Equatable, Sendable {
        /// As stored: two ends, and the floors.
        static let bytes = 16 + FloorPair.bytes

        var range: ClosedRange<UInt64>
        var floors: FloorPair
    }

    private(set) var pieces: [Piece] = []

    /// The floors over this hash.
    ///
    /// - Complexity: O(log ranges).
    func floors(at hash: UInt64) -> FloorPair {
        let index = firstIndex(endingAtOrAfter: hash)
        guard index < pieces.count, pieces[index].range.contains(hash) else { return FloorPair() }
        return pieces[index].floors
    }

    /// - Complexity: O(1) above all other ranges, else O(ranges).
    mutating func raise(_ range: ClosedRange<UInt64>, to floors: FloorPair) {
        var first = firstIndex(endingAtOrAfter: range.lowerBound)
        var end = first
        while end < pieces.count, pieces[end].range.lowerBound <= range.upperBound { end += 1 }
        var cut = Self.cut(pieces[first..<end], by: range, floors)
        if first > 0 {
            first -= 1
            cut.insert(pieces[first], at: 0)
        }
        if end < pieces.count {
            cut.append(pieces[end])
            end += 1
        }
        pieces.replaceSubrange(first..<end, with: Self.joined(cut))
    }

    /// Appends a stored piece, in order; `false` for an impossible one.
    mutating func append(_ piece: Piece) -> Bool {
        if let last = pieces.last, last.range.upperBound >= piece.range.lowerBound { return false }
        pieces.append(piece)
        return piece.floors.highest > 0
    }

    /// Removes ranges with no floor above `position`; returns all their floors.
    mutating func take(through position: UInt64) -> FloorPair {
        var taken = FloorPair()
        pieces.removeAll { piece in
            guard piece.floors.highest <= position else { return false }
            taken.raise(to: piece.floors)
            return true
        }
        return taken
    }

    private func firstIndex(endingAtOrAfter hash: UInt64) -> Int {
        var (low, high) = (0, pieces.count)
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].range.upperBound < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// MARK: - Cutting and joining

extension FloorRanges {
    /// The pieces that overlap `range`, cut at its ends, raised within it, its gaps filled.
    private static func cut(
        _ overlapped: ArraySlice<Piece>, by range: ClosedRange<UInt64>, _ floors: FloorPair
    ) -> [Piece] {
        var cut: [Piece] = []
        /// Start of the part of the range that no piece has covered yet; `nil` past its end.
        var gap: UInt64? = range.lowerBound
        for piece in overlapped {
            let (lower, upper) = (piece.range.lowerBound, piece.range.upperBound)
            if lower < range.lowerBound {
                cut.append(Piece(range: lower...range.lowerBound - 1, floors: piece.floors))
            }
            if let begin = gap, begin < lower {
                cut.append(Piece(range: begin...lower - 1, floors: floors))
            }
            var raised = piece
            raised.range = max(lower, range.lowerBound)...min(upper, range.upperBound)
            raised.floors.raise(to: floors)
            cut.append(raised)
            if upper > range.upperBound {
                cut.append(Piece(range: range.upperBound + 1...upper, floors: piece.floors))
            }
            gap = upper < range.upperBound ? upper + 1 : nil
        }
        if let gap { cut.append(Piece(range: gap...range.upperBound, floors: floors)) }
        return cut
    }

    private static func joined(_ pieces: [Piece]) -> [Piece] {
        var joined: [Piece] = []
        for piece in pieces {
            // The previous piece ends below this one's start, so below the greatest hash.
            if let last = joined.last, last.floors == piece.floors,
                last.range.upperBound + 1 == piece.range.lowerBound
            {
                let range = last.range.lowerBound...piece.range.upperBound
                joined[joined.count - 1].range = range
            } else {
                joined.append(piece)
            }
        }
        return joined
    }
}
