/// The floors of one scope by ranges of route hashes: disjoint, ascending, found by binary search.
///
///     0 ──────┬────────────┬────── ∅ ──────┬─────────── 2^64 − 1
///             │ floors @ 7 │               │ floors @ 9
///
/// Pacing raises one range after another, so most rises append. A range that overlaps others cuts
/// them at its ends, and each part keeps exactly the floors that covered it.
struct RangedFloors {
    struct Piece: Equatable {
        var range: ClosedRange<UInt64>
        var floors: ScopeFloors
    }

    private(set) var pieces: [Piece] = []

    var isEmpty: Bool { pieces.isEmpty }

    /// The floors over this hash; `nil` if no range covers it.
    ///
    /// - Complexity: O(log ranges).
    func floors(at hash: UInt64) -> ScopeFloors? {
        let index = firstIndex(endingAtOrAfter: hash)
        guard index < pieces.count, pieces[index].range.contains(hash) else { return nil }
        return pieces[index].floors
    }

    /// Raises the floors over `range`.
    ///
    /// - Returns: `false` if that would make more than `piecesMax` ranges, and nothing was raised:
    ///   the whole scope must be raised instead.
    /// - Complexity: O(1) above all other ranges, else O(ranges).
    mutating func raise(
        _ range: ClosedRange<UInt64>, _ rise: FloorRise, piecesMax: Int
    ) -> Bool {
        let first = firstIndex(endingAtOrAfter: range.lowerBound)
        var end = first
        while end < pieces.count, pieces[end].range.lowerBound <= range.upperBound { end += 1 }
        let cut = Self.cut(pieces[first..<end], by: range, rise)
        guard pieces.count - (end - first) + cut.count <= piecesMax else { return false }
        pieces.replaceSubrange(first..<end, with: cut)
        return true
    }

    /// Drops floors that last rose at or before `ordinal`; returns the highest of them.
    mutating func retire(through ordinal: FloorOrdinal) -> FillStamp {
        var highest = FillStamp.none
        pieces.removeAll { piece in
            guard piece.floors.raisedAt <= ordinal else { return false }
            highest = max(highest, piece.floors.highest)
            return true
        }
        return highest
    }

    /// Resets when each rose: all count as risen before ordinal one.
    mutating func restartOrdinals() {
        for index in pieces.indices { pieces[index].floors.raisedAt = .never }
    }

    /// The pieces that overlap `range`, cut at its ends, raised within it, its gaps filled.
    private static func cut(
        _ overlapped: ArraySlice<Piece>, by range: ClosedRange<UInt64>, _ rise: FloorRise
    ) -> [Piece] {
        var cut: [Piece] = []
        /// Start of the part of the range that no piece has covered yet; `nil` past its end.
        var gap: UInt64? = range.lowerBound
        func append(_ lower: UInt64, _ upper: UInt64, _ floors: ScopeFloors, isRaised: Bool) {
            var floors = floors
            if isRaised { floors.raise(rise) }
            cut.append(Piece(range: lower...upper, floors: floors))
        }
        for piece in overlapped {
            let (lower, upper) = (piece.range.lowerBound, piece.range.upperBound)
            if lower < range.lowerBound {
                append(lower, range.lowerBound - 1, piece.floors, isRaised: false)
            }
            if let begin = gap, begin < lower {
                append(begin, lower - 1, ScopeFloors(), isRaised: true)
            }
            append(
                max(lower, range.lowerBound), min(upper, range.upperBound), piece.floors,
                isRaised: true)
            if upper > range.upperBound {
                append(range.upperBound + 1, upper, piece.floors, isRaised: false)
            }
            gap = upper < range.upperBound ? upper + 1 : nil
        }
        if let gap { append(gap, range.upperBound, ScopeFloors(), isRaised: true) }
        return cut
    }

    private func firstIndex(endingAtOrAfter hash: UInt64) -> Int {
        var low = 0
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].range.upperBound < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
