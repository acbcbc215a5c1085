import CacheModel

/// How many entries a scope covers, and what they weigh: kept as entries come and go, so that
/// nobody has to look for them.
///
/// Law – what is counted are the resident entries of the scope with
///
///     fill ≥ countedFrom        and        countedFrom ≤ the highest hard floor the scope ever had
///
/// When a hard floor rises above every fill there is, all of them are hidden and counting begins
/// anew from that floor; an entry below it then leaves without being counted off. An entry that is
/// not hidden lies at or above, so a renewal, which only raises fills, changes nothing here.
struct ScopeTally: Equatable {
    private(set) var entryCount = 0
    private(set) var bytes = 0
    /// Entries filled below it are not counted: they are hidden already.
    private(set) var countedFrom = FillStamp.none

    init() {}

    /// Of a scope without entries that begins with a hard floor.
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
    /// hides nobody knows how many: those stay counted until they have left.
    ///
    /// - Parameter highestFill: of every entry there is or ever was.
    mutating func floorRose(_ rise: FloorRise, highestFill: FillStamp) {
        guard rise.strength == .hard, rise.stamp > highestFill else { return }
        self = ScopeTally(from: max(countedFrom, rise.stamp))
    }

    /// Whether it counts nothing that this hard floor hides.
    func isExact(under hard: FillStamp) -> Bool { countedFrom >= hard || entryCount == 0 }
}
