import CacheModel

/// The number and weight of the entries that a scope covers, updated with each added and removed
/// entry, so that no search is needed.
///
/// Invariant – it counts the resident entries of the scope with
///
///     fill ≥ countedFrom        and        countedFrom ≤ the highest hard floor the scope ever had
///
/// When a hard floor rises above every fill, all entries are hidden and counting restarts from that
/// floor; the removal of an entry below it is then not counted. A visible entry is at or above it,
/// so a renewal, which only raises fills, changes nothing here.
struct ScopeTally: Equatable {
    private(set) var entryCount = 0
    private(set) var bytes = 0
    /// Entries filled below it are not counted: they are hidden already.
    private(set) var countedFrom = FillStamp.none

    init() {}

    /// For a scope without entries that starts with a hard floor.
    init(from floor: FillStamp) {
        countedFrom = floor
    }

    mutating func add(_ fill: FillStamp, bytes: Int) {
        guard fill >= countedFrom else { return }
        entryCount &+= 1
        self.bytes &+= bytes
    }

    mutating func subtract(_ fill: FillStamp, bytes: Int) {
        guard fill >= countedFrom else { return }
        entryCount &-= 1
        self.bytes &-= bytes
    }

    /// The scope's floors have risen. A soft one hides nothing, and a hard one below some fill
    /// hides an unknown number: those stay counted until they are removed.
    ///
    /// - Parameter highestFill: of all entries, present and past.
    mutating func floorRose(_ rise: FloorRise, highestFill: FillStamp) {
        guard rise.strength == .hard, rise.stamp > highestFill else { return }
        self = ScopeTally(from: max(countedFrom, rise.stamp))
    }

    /// Whether it counts no entry that this hard floor hides.
    func isExact(under hard: FillStamp) -> Bool { countedFrom >= hard || entryCount == 0 }
}
