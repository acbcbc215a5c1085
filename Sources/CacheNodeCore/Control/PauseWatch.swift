import CacheModel

/// Notices that the machine stood still and its clock with it, from the calendar that was put right
/// afterwards.
///
///     clock     ──┤ 10.0 s         10.1 s ├──   no clock of the machine goes on in a pause
///     calendar  ──┤ 12:00:00.0     12:00:30.1 ├──   something outside sets it later
///                   └ hypervisor pauses ┘
///
/// Where the calendar is only adjusted, a pause is noticed that was none.
struct PauseWatch: Sendable {
    private var last: (calendar: CalendarTime, now: Instant)?

    /// Looks at both clocks.
    ///
    /// - Returns: by how much more the calendar went on since the last look than the clock, if that
    ///   is more than the two differ by themselves.
    mutating func look(_ calendar: CalendarTime, now: Instant) -> Duration? {
        defer { last = (calendar, now) }
        guard let last else { return nil }
        let (told, overflow) = calendar.nanoseconds.subtractingReportingOverflow(
            last.calendar.nanoseconds)
        let ahead = Duration.nanoseconds(overflow ? .max : told) - now.elapsed(since: last.now)
        return ahead >= NodeControlLimits.calendarJumpMin ? ahead : nil
    }
}
