package import CacheModel

/// A scope that covers a key, and its floors, for diagnosis.
package struct CoveringFloor: Equatable {
    package enum Cover: Equatable {
        case key
        /// Its bytes; empty if it shares floors with others and has no record of its own.
        case tag([UInt8])
        case prefix([UInt8])
        case namespace
        case everything
        /// Not an invalidation: the history before this position is unknown.
        case history
    }

    package var cover: Cover
    package var hard = FillStamp.none
    package var soft = FillStamp.none
    /// Lower versions are refused; only a key has one.
    package var minimumVersion = Version.none
    /// The key has no entry, and this floor removed the last one.
    package var hidLast = false

    init(_ cover: Cover, hard: FillStamp) {
        self.cover = cover
        self.hard = hard
    }

    init(_ cover: Cover, _ floors: ScopeFloors) {
        self.cover = cover
        hard = floors.hard
        soft = floors.soft
    }

    init(_ floor: KeyFloor) {
        cover = .key
        hard = floor.highest
        minimumVersion = floor.minimumVersion
    }

    init(history stamp: FillStamp) {
        cover = .history
        hard = stamp
    }

    /// Whether an invalidation of the scope is in effect.
    var isRaised: Bool { hard > .none || soft > .none || minimumVersion > .none }
}
