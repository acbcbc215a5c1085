import CacheModel

/// One raising of a floor: how strong, to where, and when.
struct FloorRise {
    var strength: InvalidationRecord.Strength
    var stamp: FillStamp
    var now: Instant
    /// What the floor table's ordinal became by it.
    var ordinal: FloorOrdinal
}

/// The floors of one scope, each the highest stamp of its kind. What was filled below the hard
/// one is gone; what was filled below the soft one is stale. Neither weakens the other.
struct ScopeFloors: Equatable {
    private(set) var hard = FillStamp.none
    private(set) var soft = FillStamp.none
    /// When the soft floor rose to where it stands.
    private(set) var softAt = Instant(nanoseconds: 0)
    /// The table's ordinal when either rose last.
    var raisedAt = FloorOrdinal.never

    /// What a token must not lie below: soft floors count as well, or a value read before a soft
    /// invalidation would come back as fresh.
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

/// What the floors say of an entry. Several scopes cover it; each adds what it knows.
struct FloorVerdict {
    private(set) var isInvalidated = false
    /// What happened since it was filled is not known.
    private(set) var isQuarantined = false
    /// Its key may have been another shard's since it was filled.
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
