import CacheModel

/// When the disk tier's next checkpoint is due: one at a time, and none where nothing was applied
/// since the last.
struct CheckpointSchedule {
    /// The last mark that a checkpoint was written for.
    private var mark = LogMark.none
    private var dueAt = Instant(nanoseconds: 0)
    private(set) var isUnderWay = false

    func isDue(at applied: LogMark, now: Instant) -> Bool {
        !isUnderWay && now >= dueAt && mark != applied
    }

    mutating func begin(at applied: LogMark, next: Instant) {
        (mark, dueAt, isUnderWay) = (applied, next, true)
    }

    mutating func end() { isUnderWay = false }

    /// An earlier run has written this one.
    mutating func adopt(_ mark: LogMark) { self.mark = mark }

    /// The last one tells of what is no longer so: another follows after the usual interval.
    mutating func renew() { mark = .none }

    /// Another follows at once.
    mutating func hasten() { (mark, dueAt) = (.none, Instant(nanoseconds: 0)) }
}
