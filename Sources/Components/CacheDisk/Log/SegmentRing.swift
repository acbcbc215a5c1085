/// The ring of places in a tier's file: segment-sized areas that the log uses in turn.
///
/// A segment's number determines its place: number 1 is at place 0, number 2 at place 1, and so on,
/// wrapping. A place outside of the ring is skipped, and the number that would fall on it is not
/// used.
struct SegmentRing: Equatable {
    /// All places of the file, including those outside of the ring.
    let placeCount: Int
    /// Those in the ring, ascending.
    private var places: [Int]
    /// By place: the number of lower places in the ring.
    private var ranks: [Int]
    private var isInside: [Bool]

    /// - Parameters:
    ///   - placeCount: at least 1.
    ///   - outside: skipped places; at least one is left.
    init(_ placeCount: Int, outside: some Sequence<Int> = []) {
        self.placeCount = placeCount
        isInside = Array(repeating: true, count: placeCount)
        for place in outside { isInside[place] = false }
        (places, ranks) = ([], [])
        rank()
    }

    private mutating func rank() {
        places.removeAll(keepingCapacity: true)
        ranks.removeAll(keepingCapacity: true)
        for place in 0..<placeCount {
            ranks.append(places.count)
            if isInside[place] { places.append(place) }
        }
        precondition(!places.isEmpty, "a log has a place")
    }

    /// The number of places in the ring.
    var count: Int { places.count }

    var outsideCount: Int { placeCount - places.count }

    var memoryBytes: Int { (places.count + placeCount) * MemoryLayout<Int>.stride + placeCount }

    func contains(_ place: Int) -> Bool { isInside[place] }

    /// - Complexity: O(places).
    mutating func remove(_ place: Int) {
        isInside[place] = false
        rank()
    }

    /// - Complexity: O(places).
    mutating func insert(_ place: Int) {
        isInside[place] = true
        rank()
    }

    /// - Precondition: the number is a segment's.
    func place(of number: SegmentNumber) -> Int {
        Int((number.rawValue - 1) % UInt64(placeCount))
    }

    func contains(_ number: SegmentNumber) -> Bool { isInside[place(of: number)] }

    /// The number used so many steps after this one, which may be ``SegmentNumber/none``.
    ///
    /// - Parameter steps: at least 1.
    /// - Complexity: O(1).
    func number(after number: SegmentNumber, by steps: Int = 1) -> SegmentNumber {
        let from = number == .none ? -1 : place(of: number)
        let first = from < 0 ? 0 : ranks[from] + (isInside[from] ? 1 : 0)
        let (rounds, index) = (first + steps - 1).quotientAndRemainder(dividingBy: places.count)
        return SegmentNumber(
            number.rawValue + UInt64(rounds * placeCount + places[index] - from))
    }

    /// The number used before this one; ``SegmentNumber/none`` if there is none.
    ///
    /// - Complexity: O(1).
    func number(before number: SegmentNumber) -> SegmentNumber {
        let from = place(of: number)
        let rank = ranks[from]
        let distance =
            rank > 0 ? from - places[rank - 1] : from + placeCount - places[places.count - 1]
        return SegmentNumber(number.rawValue - min(number.rawValue, UInt64(distance)))
    }
}
