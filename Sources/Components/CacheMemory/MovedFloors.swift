import CacheModel

/// Changes of ownership: an entry filled below one is visible only if its key is this shard's both
/// before and after.
///
/// Which shard owns a key is computed when an entry is checked, and only for changes since its last
/// check; a hit that was checked since pays nothing.
///
/// Bounded: above the limit the oldest change keeps no key. Retired like other floors, after a
/// round of the sweep.
struct MovedFloors {
    private struct Change {
        let stamp: FillStamp
        var raisedAt: FloorOrdinal
        /// `nil`: no key is kept.
        var keeps: (@Sendable (RoutedKey) -> Bool)?
    }

    /// The verdict of the changes on an entry.
    enum Cover {
        case none
        /// The key may have been this shard's all the time.
        case ownerUnknown
        /// The key was, or is, another shard's.
        case ownedElsewhere
    }

    static let changesMax = 32

    /// The oldest first.
    private var changes: [Change] = []

    var isEmpty: Bool { changes.isEmpty }

    /// - Parameter keeps: whether a key was and stays this shard's.
    mutating func raise(
        to stamp: FillStamp, at ordinal: FloorOrdinal,
        keeping keeps: (@Sendable (RoutedKey) -> Bool)?
    ) {
        if changes.count == Self.changesMax {
            changes.removeFirst()
            changes[0].keeps = nil
        }
        changes.append(Change(stamp: stamp, raisedAt: ordinal, keeps: keeps))
    }

    /// The verdict of the changes on an entry filled there.
    ///
    /// - Parameters:
    ///   - checkedAt: when it was last found visible; earlier changes are skipped.
    ///   - name: of its namespace; `nil` where that has no name yet.
    /// - Complexity: O(changes · shards).
    func cover(
        _ fill: FillStamp, _ key: UnsafeRawBufferPointer, checkedAt: FloorOrdinal,
        name: () -> [UInt8]?
    ) -> Cover {
        guard let last = changes.last, fill < last.stamp else { return .none }
        var cover = Cover.none
        for change in changes where change.raisedAt > checkedAt && fill < change.stamp {
            guard let keeps = change.keeps else {
                cover = .ownerUnknown
                continue
            }
            let isKept = name()?.withUnsafeBytes { keeps(RoutedKey(key, in: $0)) } ?? false
            if !isKept { return .ownedElsewhere }
        }
        return cover
    }

    /// Drops changes at or before `ordinal`; returns the highest of them.
    mutating func retire(through ordinal: FloorOrdinal) -> FillStamp {
        var highest = FillStamp.none
        changes.removeAll { change in
            guard change.raisedAt <= ordinal else { return false }
            highest = max(highest, change.stamp)
            return true
        }
        return highest
    }

    /// Resets when each rose: all count as risen at the first ordinal, since every entry is
    /// unchecked.
    mutating func restartOrdinals() {
        for index in changes.indices { changes[index].raisedAt = .first }
    }
}
