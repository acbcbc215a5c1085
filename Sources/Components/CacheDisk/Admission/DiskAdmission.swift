/// Decides which of the entries evicted from memory are written to disk.
///
///     request ─▶ count ─▶ AdmissionSketch ─┐
///     evicted ─▶ judge ────────────────────┴▶ at least twice? ─▶ WriteBudget ─▶ admitted
///
/// An entry that is on disk already needs no decision. A store into a free segment needs one only
/// after the ring has wrapped, and then only for the budget.
package struct DiskAdmission: ~Copyable {
    package enum Verdict {
        case admitted
        /// It was not requested often enough.
        case rare
        case overBudget
    }

    /// Minimum number of recent requests of a key.
    package var countMin = 2
    /// How long the sketch counts; see ``AdmissionSketch/init(entryCount:period:)``.
    package var period = AdmissionSketch.periodUsual

    /// Empty until most of the ring has been written: before that, every entry has space.
    private var sketch = AdmissionSketch(entryCount: 0)
    private var budget: WriteBudget?
    package private(set) var statistics = AdmissionStatistics()

    /// - Parameter budget: `nil`: unlimited.
    package init(budget: WriteBudget? = nil) { self.budget = budget }

    package var memoryBytes: Int { sketch.memoryBytes }

    /// Sizes the sketch for so many entries, unless its size fits already. A new sketch is empty.
    package mutating func prepare(entryCount: Int) {
        precondition(entryCount > 0, "the entry count is positive")
        if isPrepared, entryCount <= 2 * sketch.capacity { return }
        sketch = AdmissionSketch(entryCount: entryCount, period: period)
    }

    package var isPrepared: Bool { sketch.capacity > 0 }

    /// Counts a request of a key.
    package mutating func count(_ hash: UInt64) { sketch.count(hash) }

    /// Decides about an entry that memory evicts and the disk does not have.
    ///
    /// - Parameters:
    ///   - bytes: of its record. They are spent if it is admitted.
    ///   - isRoomFree: whether no entry has to be dropped from the disk for it.
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

    /// Decides about a store for which cleaning freed the space.
    ///
    /// - Parameter bytes: of its record. They are spent if it is admitted.
    package mutating func judgeStore(bytes: Int, at now: TierTime) -> Bool {
        guard budget?.take(bytes, at: now) == false else { return true }
        statistics.overBudget += 1
        return false
    }

    /// Counts an evicted entry that is on disk already.
    package mutating func noteClean() { statistics.clean += 1 }
}

/// Outcomes for evicted entries, and for stores over the budget.
package struct AdmissionStatistics: Equatable, Sendable {
    package var admitted: UInt64 = 0
    /// They were on disk already.
    package var clean: UInt64 = 0
    package var rare: UInt64 = 0
    package var overBudget: UInt64 = 0

    package init() {}
}
