import CacheModel

/// Detects that the machine and its monotonic clock were paused, from the calendar clock that is
/// corrected afterwards.
///
///     clock     ──┤ 10.0 s         10.1 s ├──   no clock of the machine advances in a pause
///     calendar  ──┤ 12:00:00.0     12:00:30.1 ├──   set later from outside
///                   └ hypervisor pauses ┘
///
/// If the calendar clock is only set, a pause is detected that did not happen.
struct PauseWatch: Sendable {
    private var last: (calendar: CalendarTime, now: Instant)?

    /// Compares both clocks.
    ///
    /// - Returns: by how much more the calendar clock advanced since the last call than the
    ///   monotonic clock, if that is more than their normal difference.
    mutating func look(_ calendar: CalendarTime, now: Instant) -> Duration? {
        defer { last = (calendar, now) }
        guard let last else { return nil }
        let (told, overflow) = calendar.nanoseconds.subtractingReportingOverflow(
            last.calendar.nanoseconds)
        let ahead = Duration.nanoseconds(overflow ? .max : told) - now.elapsed(since: last.now)
        return ahead >= NodeControlLimits.calendarJumpMin ? ahead : nil
    }
}
