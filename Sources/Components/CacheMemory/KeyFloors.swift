import CacheModel

/// The floors of one key. They hide no entry – its invalidation removed or marked that at once –
/// and only guard against values still on their way.
struct KeyFloor: Equatable {
    /// Raised by invalidations of either strength without a version.
    private(set) var unconditional = FillStamp.none
    /// Raised by those with a minimum version: applies to lower versions, and to unversioned
    /// values.
    private(set) var conditional = FillStamp.none
    /// Lower versions are refused in any case; `none` refuses no value.
    private(set) var minimumVersion = Version.none

    var highest: FillStamp { max(unconditional, conditional) }

    /// Whether it was never raised.
    var isAtRest: Bool { highest == .none }

    /// An unconditional invalidation resets the version floor: the writer's order may have
    /// restarted. A conditional one never touches the unconditional floor.
    mutating func raise(to stamp: FillStamp, minimumVersion version: Version?) {
        if let version, version > .none {
            conditional = max(conditional, stamp)
            minimumVersion = max(minimumVersion, version)
        } else if stamp >= highest {
            self = KeyFloor()
            unconditional = stamp
        } else {
            unconditional = max(unconditional, stamp)
        }
    }

    /// Whether a value read at `fill` may be stored according to this key's history.
    func admits(fill: FillStamp, version: Version, guards: Guards = .all) -> Bool {
        if fill < unconditional, guards.isOn(.versionFloor) { return false }
        return fill >= conditional || (minimumVersion > .none && version >= minimumVersion)
    }
}

/// The key floors of a shard: two generations by hash; the older is dropped as a whole.
///
/// Two keys with one hash share a floor, which refuses slightly more, never less.
struct KeyFloors {
    private let generationMax: Int
    private var current = KeyFloorTable()
    private var previous = KeyFloorTable()

    init(floorsMax: Int) {
        generationMax = floorsMax / 2
    }

    var count: Int { current.count + previous.count }

    /// The key's floors; at rest if it has none any more.
    func floor(of hash: KeyHash) -> KeyFloor {
        current.floor(of: hash) ?? previous.floor(of: hash) ?? KeyFloor()
    }

    /// Prefetches the line that a rise of this key needs.
    func prefetch(_ hash: KeyHash) { current.prefetch(hash) }

    /// - Returns: the highest of the floors that were dropped for it, if any: no token below it may
    ///   be trusted from now on.
    mutating func raise(
        _ hash: KeyHash, to stamp: FillStamp, minimumVersion: Version?
    ) -> FillStamp? {
        // One search if the floor exists: keys that change often rise often.
        if current.raise(hash, to: stamp, minimumVersion: minimumVersion) { return nil }
        var floor = KeyFloor()
        // A rise without a version, above all of the older generation, would replace any floor
        // there; this is the usual case for records in order.
        if stamp < previous.highest || (minimumVersion ?? .none) > .none {
            floor = previous.floor(of: hash) ?? floor
        }
        floor.raise(to: stamp, minimumVersion: minimumVersion)
        var dropped: FillStamp?
        if current.count == generationMax {
            dropped = previous.count > 0 ? previous.highest : nil
            swap(&previous, &current)
            current.removeAll()
        }
        current.insert(hash, floor)
        return dropped
    }
}
