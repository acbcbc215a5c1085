/// Scopes narrowed to ranges of route hashes, as pacing does. Bounded by bytes and by ranges.
struct RangedScopes: Sendable {
    /// Bytes of one scope as stored, without its ranges.
    static func bytes(ofName count: Int) -> Int { 2 + count + 4 }
    /// If there is no space, one of so many ranges is folded.
    private static let foldedShare = 16

    private let bytesMax: Int
    private let countMax: Int
    private(set) var list = ScopeNameList<FloorRanges>()
    private(set) var bytes = 0
    private(set) var rangeCount = 0
    /// No floor is above it.
    private(set) var highest: UInt64 = 0

    init(bytesMax: Int, countMax: Int) {
        self.bytesMax = bytesMax
        self.countMax = countMax
    }

    var isWithinBounds: Bool { bytes <= bytesMax && rangeCount <= countMax }

    /// The caller then folds the result of ``takeLowest()``.
    mutating func raise(_ name: ScopeName, _ range: ClosedRange<UInt64>, to floors: FloorPair) {
        let (index, isNew) = list.place(name, FloorRanges())
        if isNew { bytes += Self.bytes(ofName: name.bytes.count) }
        let before = list.values[index].pieces.count
        list.values[index].raise(range, to: floors)
        count(list.values[index].pieces.count - before)
        highest = max(highest, floors.highest)
    }

    /// Appends a stored scope, in order; `false` for an impossible one.
    mutating func append(_ name: ScopeName, _ ranges: FloorRanges) -> Bool {
        guard !ranges.pieces.isEmpty, list.append(name, ranges) else { return false }
        bytes += Self.bytes(ofName: name.bytes.count)
        count(ranges.pieces.count)
        for piece in ranges.pieces { highest = max(highest, piece.floors.highest) }
        return isWithinBounds
    }

    /// Removes the lowest ranges until the rest are within bounds. The caller folds them into their
    /// whole scopes.
    ///
    /// - Complexity: O(ranges · log ranges) if a bound is exceeded, which is then rare for a while.
    mutating func takeLowest() -> [(name: ScopeName, floors: FloorPair)] {
        var taken: [(ScopeName, FloorPair)] = []
        while !isWithinBounds {
            let positions = list.values.flatMap { $0.pieces.map(\.floors.highest) }.sorted()
            let highest = positions[positions.count / Self.foldedShare]
            list.keep { name, ranges in
                let floors = ranges.take(through: highest)
                if floors.highest > 0 { taken.append((name, floors)) }
                return !ranges.pieces.isEmpty
            }
            bytes = list.names.reduce(0) { $0 + Self.bytes(ofName: $1.bytes.count) }
            rangeCount = 0
            count(list.values.reduce(0) { $0 + $1.pieces.count })
        }
        return taken
    }

    /// Adds the floors of the scope of exactly this name.
    func add(
        _ name: UnsafeRawBufferPointer, at hash: () -> UInt64, to floors: inout FloorPair
    ) {
        if let index = list.index(of: name) {
            floors.raise(to: list.values[index].floors(at: hash()))
        }
    }

    /// Adds the floors of scopes named by a prefix of this name.
    func add(
        beginning name: UnsafeRawBufferPointer, at hash: () -> UInt64, to floors: inout FloorPair
    ) {
        list.forEach(beginning: name) { floors.raise(to: list.values[$0].floors(at: hash())) }
    }

    mutating func removeAll() {
        list.removeAll()
        (bytes, rangeCount, highest) = (0, 0, 0)
    }

    var memoryBytes: Int {
        list.values.reduce(list.memoryBytes) {
            $0 + 32 + $1.pieces.capacity * MemoryLayout<FloorRanges.Piece>.stride
        }
    }

    private mutating func count(_ ranges: Int) {
        rangeCount += ranges
        bytes += ranges * FloorRanges.Piece.bytes
    }
}
