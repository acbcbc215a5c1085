/// The places of a tier's file that its log goes through, one after the other.
///
/// The number of a segment and its place belong together: number 1 is at place 0, number 2 at place
/// 1, and round again. A place that is not in the ring is passed over, and the number that would
/// lie there is not used.
struct SegmentRing: Equatable {
    /// Of the file, those outside of the ring among them.
    let placeCount: Int
    /// Those in the ring, ascending.
    private var places: [Int]
    /// By place: how many places of the ring lie before it.
    private var ranks: [Int]
    private var isInside: [Bool]

    /// - Parameters:
    ///   - placeCount: at least 1.
    ///   - outside: places that are passed over; at least one is left.
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

    /// How many places are in the ring.
    var count: Int { places.count }

    var outsideCount: Int { placeCount - places.count }

    /// Bytes of memory that it takes.
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

    /// - Precondition: the number is one of a segment.
    func place(of number: SegmentNumber) -> Int {
        Int((number.rawValue - 1) % UInt64(placeCount))
    }

    func contains(_ number: SegmentNumber) -> Bool { isInside[place(of: number)] }

    /// The number that is used so many steps after this one, which may be
    /// ``SegmentNumber/none``.
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

    /// The number that is used before this one; ``SegmentNumber/none`` if there is none.
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
