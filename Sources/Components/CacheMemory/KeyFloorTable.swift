import CMemory
import CacheModel

/// One generation of key floors by hash: open addressing, linear probing, at most half full.
///
///     slot   │ hash │ unconditional │ conditional │ minimum version │     32 bytes
///
/// The seeded hash needs no further mixing. A floor at rest marks a free slot; single floors are
/// never removed.
struct KeyFloorTable {
    private struct Slot {
        var hash = KeyHash(0)
        var floor = KeyFloor()
    }

    /// Always a power of two.
    private var slots = [Slot](repeating: Slot(), count: 64)
    private(set) var count = 0
    /// The highest of all floors.
    private(set) var highest = FillStamp.none

    /// - Complexity: O(1) on average.
    func floor(of hash: KeyHash) -> KeyFloor? {
        let floor = slots[place(of: hash)].floor
        return floor.isAtRest ? nil : floor
    }

    /// Prefetches the line that ``raise(_:to:minimumVersion:)`` needs.
    @inline(__always)
    func prefetch(_ hash: KeyHash) {
        slots.withUnsafeBufferPointer { slots in
            guard let start = slots.baseAddress else { return }
            cache_prefetch(start + home(of: hash))
        }
    }

    /// Raises an existing floor.
    ///
    /// - Returns: `false` if there is none.
    mutating func raise(_ hash: KeyHash, to stamp: FillStamp, minimumVersion: Version?) -> Bool {
        let place = place(of: hash)
        guard !slots[place].floor.isAtRest else { return false }
        slots[place].floor.raise(to: stamp, minimumVersion: minimumVersion)
        highest = max(highest, stamp)
        return true
    }

    /// Inserts a new floor.
    ///
    /// - Complexity: O(1) on average; O(count) each time that the count has doubled.
    mutating func insert(_ hash: KeyHash, _ floor: KeyFloor) {
        guard !floor.isAtRest else { return }
        if 2 * (count + 1) > slots.count { grow() }
        slots[place(of: hash)] = Slot(hash: hash, floor: floor)
        count += 1
        highest = max(highest, floor.highest)
    }

    /// Removes all floors and keeps the memory.
    mutating func removeAll() {
        for index in slots.indices { slots[index] = Slot() }
        (count, highest) = (0, .none)
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: 2 * old.count)
        for slot in old where !slot.floor.isAtRest { slots[place(of: slot.hash)] = slot }
    }

    /// The slot of the hash, or the free slot for it.
    private func place(of hash: KeyHash) -> Int {
        var place = home(of: hash)
        while !slots[place].floor.isAtRest, slots[place].hash != hash {
            place = (place + 1) & (slots.count - 1)
        }
        return place
    }

    /// The lowest sixteen bits are reserved for the tags of the index.
    private func home(of hash: KeyHash) -> Int {
        Int(truncatingIfNeeded: hash.rawValue >> 16) & (slots.count - 1)
    }
}
