import CacheModel

/// What was applied when, over the last seconds: so that "since then" can be said as a position.
///
/// Bounded: one sample for each eighth of a second, of the last minute.
struct AppliedHistory {
    private static let samplesMax = 480
    private static let spacing = Duration.milliseconds(125)

    /// Of the log that is followed.
    private(set) var marks = RecentMarks()
    private var samples: [(position: LogPosition, at: Instant)] = []
    /// When this life went on where an earlier one was; `nil`: it has not.
    private var wentOnAt: Instant?

    /// Notes that everything up to `position` has been applied by `now`.
    mutating func note(_ position: LogPosition, at now: Instant) {
        if let last = samples.last, last.at.advanced(by: Self.spacing) > now { return }
        samples.append((position, now))
        if samples.count > Self.samplesMax { samples.removeFirst(Self.samplesMax / 2) }
    }

    /// Notes one record, whenever it was applied.
    mutating func note(_ mark: LogMark) { marks.note(mark) }

    /// Begins again with another log.
    mutating func restart(at mark: LogMark, now: Instant) {
        samples = [(mark.position, now)]
        marks.restart(at: mark)
        wentOnAt = nil
    }

    /// Goes on where an earlier life was. When that obeyed what is not known any more.
    mutating func goOn(at mark: LogMark, now: Instant) {
        restart(at: mark, now: now)
        wentOnAt = now
    }

    /// Whether an earlier life may have obeyed something in the last `duration` before `now`.
    func reachesIntoEarlierLife(_ duration: Duration, before now: Instant) -> Bool {
        wentOnAt.map { now < $0.advanced(by: duration) } ?? false
    }

    /// A position that was applied `duration` before `now`, or a little earlier; ``none`` where
    /// the history does not reach back so far.
    func position(at now: Instant, before duration: Duration) -> LogPosition {
        samples.last { $0.at.advanced(by: duration) <= now }?.position ?? .none
    }
}
