/// Floors of scopes known by name. Bounded by bytes and by count.
struct NamedFloors: Sendable {
    /// Bytes of one floor as stored.
    static func bytes(ofName count: Int) -> Int { 2 + count + FloorPair.bytes }

    private let bytesMax: Int
    private let countMax: Int
    /// If there is no space, one of so many is folded: the more at once, the less often.
    private let foldedShare: Int
    private(set) var list = ScopeNameList<FloorPair>()
    private(set) var bytes = 0
    /// No floor is above it.
    private(set) var highest: UInt64 = 0

    init(bytesMax: Int, countMax: Int, foldedShare: Int) {
        self.bytesMax = bytesMax
        self.countMax = countMax
        self.foldedShare = foldedShare
    }

    var isWithinBounds: Bool { bytes <= bytesMax && list.count <= countMax }

    /// The caller then folds the result of ``takeLowest()``.
    mutating func raise(_ name: ScopeName, to floors: FloorPair) {
        let (index, isNew) = list.place(name, FloorPair())
        list.values[index].raise(to: floors)
        if isNew { bytes += Self.bytes(ofName: name.bytes.count) }
        highest = max(highest, floors.highest)
    }

    /// Appends a stored floor, in order; `false` for an impossible one.
    mutating func append(_ name: ScopeName, _ floors: FloorPair) -> Bool {
        guard floors.highest > 0, list.append(name, floors) else { return false }
        bytes += Self.bytes(ofName: name.bytes.count)
        highest = max(highest, floors.highest)
        return isWithinBounds
    }

    /// Removes the lowest floors until the rest are within bounds. The caller folds them into wider
    /// scopes.
    ///
    /// - Complexity: O(count · log count) if a bound is exceeded, which is then rare for a while.
    mutating func takeLowest() -> [(name: ScopeName, floors: FloorPair)] {
        var taken: [(ScopeName, FloorPair)] = []
        while !isWithinBounds {
            let highest = highestToTake
            var freed = 0
            list.keep { name, floors in
                guard floors.highest <= highest else { return true }
                taken.append((name, floors))
                freed += Self.bytes(ofName: name.bytes.count)
                return false
            }
            bytes -= freed
        }
        return taken
    }

    private var highestToTake: UInt64 {
        let count = list.count / foldedShare
        // The single lowest is found without sorting.
        return count == 0
            ? list.values.reduce(.max) { min($0, $1.highest) }
            : list.values.map(\.highest).sorted()[count]
    }

    /// Adds the floors of the scope of exactly this name.
    func add(_ name: UnsafeRawBufferPointer, to floors: inout FloorPair) {
        if let index = list.index(of: name) { floors.raise(to: list.values[index]) }
    }

    /// Adds the floors of scopes named by a prefix of this name.
    func add(beginning name: UnsafeRawBufferPointer, to floors: inout FloorPair) {
        list.forEach(beginning: name) { floors.raise(to: list.values[$0]) }
    }

    mutating func removeAll() {
        list.removeAll()
        (bytes, highest) = (0, 0)
    }
}
