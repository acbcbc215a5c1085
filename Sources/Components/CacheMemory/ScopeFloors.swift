import CacheModel

/// One rise of a floor: its strength, its new stamp, and its time.
struct FloorRise {
    var strength: InvalidationRecord.Strength
    var stamp: FillStamp
    var now: Instant
    /// The floor table's ordinal after it.
    var ordinal: FloorOrdinal
}

/// The floors of one scope, each the highest stamp of its kind. Entries filled below the hard floor
/// are removed; entries filled below the soft one are stale. Neither weakens the other.
struct ScopeFloors: Equatable {
    private(set) var hard = FillStamp.none
    private(set) var soft = FillStamp.none
    /// When the soft floor rose to its current stamp.
    private(set) var softAt = Instant(nanoseconds: 0)
    /// The table's ordinal of the last rise of either.
    var raisedAt = FloorOrdinal.never

    /// The minimum for a token: soft floors count as well, or a value read before a soft
    /// invalidation would return as fresh.
    var highest: FillStamp { max(hard, soft) }
    var isRaised: Bool { highest > .none }

    mutating func raise(_ rise: FloorRise) {
        switch rise.strength {
        case .hard: hard = max(hard, rise.stamp)
        case .soft:
            if rise.stamp > soft {
                soft = rise.stamp
                softAt = rise.now
            }
        }
        raisedAt = max(raisedAt, rise.ordinal)
    }
}

/// The verdict of the floors on an entry. Each of the scopes that cover it adds to it.
struct FloorVerdict {
    private(set) var isInvalidated = false
    /// Whether the history since it was filled is unknown.
    private(set) var isQuarantined = false
    /// Whether its key may have been another shard's since it was filled.
    private(set) var isOwnerUnknown = false
    /// Since when it is stale; the earliest of the soft floors above it.
    private(set) var softSince: Instant?

    mutating func meet(_ floors: ScopeFloors, fill: FillStamp) {
        if fill < floors.hard { isInvalidated = true }
        if fill < floors.soft { softSince = min(softSince ?? floors.softAt, floors.softAt) }
    }

    mutating func meet(_ moved: MovedFloors.Cover) {
        switch moved {
        case .none: break
        case .ownerUnknown: isOwnerUnknown = true
        case .ownedElsewhere: isInvalidated = true
        }
    }

    mutating func meet(quarantine: FillStamp, fill: FillStamp) {
        if fill < quarantine { isQuarantined = true }
    }
}
