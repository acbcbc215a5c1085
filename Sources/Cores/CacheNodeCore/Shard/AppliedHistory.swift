import CacheModel

/// The applied positions of the last seconds by time, so that "since then" can be expressed as a
/// position.
///
/// Bounded: one sample for each eighth of a second, of the last minute.
struct AppliedHistory {
    private static let samplesMax = 480
    private static let spacing = Duration.milliseconds(125)

    /// Of the log that is followed.
    private(set) var marks = RecentMarks()
    private var samples: [(position: LogPosition, at: Instant)] = []
    /// When this run continued an earlier one; `nil`: it did not.
    private var wentOnAt: Instant?

    /// Records that everything up to `position` has been applied by `now`.
    mutating func note(_ position: LogPosition, at now: Instant) {
        if let last = samples.last, last.at.advanced(by: Self.spacing) > now { return }
        samples.append((position, now))
        if samples.count > Self.samplesMax { samples.removeFirst(Self.samplesMax / 2) }
    }

    /// Records one mark, whenever it was applied.
    mutating func note(_ mark: LogMark) { marks.note(mark) }

    /// Restarts with another log.
    mutating func restart(at mark: LogMark, now: Instant) {
        samples = [(mark.position, now)]
        marks.restart(at: mark)
        wentOnAt = nil
    }

    /// Continues an earlier run, whose times of application are no longer known.
    mutating func goOn(at mark: LogMark, now: Instant) {
        restart(at: mark, now: now)
        wentOnAt = now
    }

    /// Whether an earlier run may have applied a record in the last `duration` before `now`.
    func reachesIntoEarlierLife(_ duration: Duration, before now: Instant) -> Bool {
        wentOnAt.map { now < $0.advanced(by: duration) } ?? false
    }

    /// A position that was applied `duration` before `now`, or a little earlier; ``none`` if the
    /// history does not reach back so far.
    func position(at now: Instant, before duration: Duration) -> LogPosition {
        samples.last { $0.at.advanced(by: duration) <= now }?.position ?? .none
    }
}
