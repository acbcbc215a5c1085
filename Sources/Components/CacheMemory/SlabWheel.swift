/// Schedule of slabs with expired entries to check: a timing wheel [1] of notes.
///
///     position ─▶ │ 0 │ 1 │ 2 │ … │ 4 095 │   one spoke per 67 ms; a slab due later than the
///                                             last waits there and is noted again
///
/// A slab has one valid note; its outdated ones are skipped when their spoke comes up. So noting is
/// an append, and nothing is ever searched.
///
/// [1] Varghese and Lauck, Hashed and hierarchical timing wheels, SOSP 1987.
struct SlabWheel {
    static let nowhere = UInt64.max
    /// Ticks per spoke, as a power of two.
    private static let spokeShift: UInt64 = 4
    private static let spokeCount: UInt64 = 4_096

    private var spokes: [[UInt32]] = Array(repeating: [], count: Int(spokeCount))
    /// The last processed spoke, counted from the beginning of time.
    private var position: UInt64 = 0

    /// Notes a slab for the spoke of `tick`, or for the next spoke if that has passed.
    ///
    /// - Returns: the number of that spoke.
    mutating func note(_ slab: Int, at tick: UInt64) -> UInt64 {
        let wanted = max(tick >> Self.spokeShift, position + 1)
        let spoke = min(wanted, position + Self.spokeCount - 1)
        spokes[Int(spoke % Self.spokeCount)].append(UInt32(slab))
        return spoke
    }

    /// Whether a note found in `spoke` is the one that was made for `note`; after a pause longer
    /// than a full turn its spoke comes up under a later number.
    static func isValid(note: UInt64, at spoke: UInt64) -> Bool {
        note <= spoke && (spoke - note) % spokeCount == 0
    }

    /// Advances to the spoke of `tick` and calls `body` with every note of the passed spokes.
    mutating func turn(to tick: UInt64, _ body: (_ slab: Int, _ spoke: UInt64) -> Void) {
        let target = tick >> Self.spokeShift
        guard target > position else { return }
        // After a long pause every spoke has come up once; the notes have their spoke numbers.
        let first = max(position + 1, target - min(target, Self.spokeCount - 1))
        for spoke in first...target where !spokes[Int(spoke % Self.spokeCount)].isEmpty {
            for slab in spokes[Int(spoke % Self.spokeCount)] { body(Int(slab), spoke) }
            spokes[Int(spoke % Self.spokeCount)].removeAll(keepingCapacity: true)
        }
        position = target
    }
}
