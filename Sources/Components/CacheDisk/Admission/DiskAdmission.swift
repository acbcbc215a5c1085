/// The decision which of the entries that memory evicts are written to the disk.
///
///     asked for ─▶ count ─▶ AdmissionSketch ─┐
///     evicted ───▶ judge ────────────────────┴▶ at least twice? ─▶ WriteBudget ─▶ admitted
///
/// What is there already needs no decision. What is stored while the ring has free segments needs
/// one only where the ring has gone round, and then but for the budget.
package struct DiskAdmission: ~Copyable {
    package enum Verdict {
        case admitted
        /// It was not asked for often enough.
        case rare
        case overBudget
    }

    /// How often a key must have been asked for lately.
    package var countMin = 2
    /// How long the sketch remembers; see ``AdmissionSketch/init(entryCount:period:)``.
    package var period = AdmissionSketch.periodUsual

    /// For no entries until the ring has gone most of its way round: before, everything has room.
    private var sketch = AdmissionSketch(entryCount: 0)
    private var budget: WriteBudget?
    package private(set) var statistics = AdmissionStatistics()

    /// - Parameter budget: `nil` for as much as there is.
    package init(budget: WriteBudget? = nil) { self.budget = budget }

    package var memoryBytes: Int { sketch.memoryBytes }

    /// Has a sketch for so many entries, unless the one it has will do. A new one knows nothing.
    package mutating func prepare(entryCount: Int) {
        precondition(entryCount > 0, "a sketch for nothing counts nothing")
        if isPrepared, entryCount <= 2 * sketch.capacity { return }
        sketch = AdmissionSketch(entryCount: entryCount, period: period)
    }

    package var isPrepared: Bool { sketch.capacity > 0 }

    /// Notes that a key was asked for.
    package mutating func count(_ hash: UInt64) { sketch.count(hash) }

    /// Judges an entry that memory evicts and the disk does not have.
    ///
    /// - Parameters:
    ///   - bytes: of its record. They are spent if it is admitted.
    ///   - isRoomFree: nothing has to leave the disk for it.
    package mutating func judge(
        _ hash: UInt64, bytes: Int, isRoomFree: Bool, at now: TierTime
    ) -> Verdict {
        if !isRoomFree, isPrepared, sketch.estimate(hash) < countMin {
            statistics.rare += 1
            return .rare
        }
        if budget?.take(bytes, at: now) == false {
            statistics.overBudget += 1
            return .overBudget
        }
        statistics.admitted += 1
        return .admitted
    }

    /// Judges a store for which cleaning has made room.
    ///
    /// - Parameter bytes: of its record. They are spent if it is admitted.
    package mutating func judgeStore(bytes: Int, at now: TierTime) -> Bool {
        guard budget?.take(bytes, at: now) == false else { return true }
        statistics.overBudget += 1
        return false
    }

    /// Notes that what is evicted is on the disk already.
    package mutating func noteClean() { statistics.clean += 1 }
}

/// What became of the entries that memory has evicted, and of stores that were over the budget.
package struct AdmissionStatistics: Equatable, Sendable {
    package var admitted: UInt64 = 0
    /// They were on the disk already.
    package var clean: UInt64 = 0
    package var rare: UInt64 = 0
    package var overBudget: UInt64 = 0

    package init() {}
}
