import CacheModel

/// A scope's two floors, as sequence numbers: entries filled below them are hidden. 0: none.
struct FloorPair: Equatable, Sendable {
    /// As stored: two of 48 bits.
    static let bytes = 12

    var hard: UInt64 = 0
    var soft: UInt64 = 0

    init(hard: UInt64 = 0, soft: UInt64 = 0) {
        self.hard = hard
        self.soft = soft
    }

    init(_ strength: InvalidationRecord.Strength, _ sequence: UInt64) {
        switch strength {
        case .hard: hard = sequence
        case .soft: soft = sequence
        }
    }

    var highest: UInt64 { max(hard, soft) }

    /// A floor never falls, and neither strength lowers the other's floor.
    mutating func raise(to other: FloorPair) {
        hard = max(hard, other.hard)
        soft = max(soft, other.soft)
    }

    func verdict(overFill fill: UInt64) -> LastingFloors.Verdict {
        if fill < hard { return .hard }
        return fill < soft ? .soft : .clear
    }
}
