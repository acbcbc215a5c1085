import Histogram

/// The schedule of an open loop, and how well the generator kept it.
///
/// Counted in keys, like the rates that it is compared with: a due batch of ten counts as ten.
package struct ScheduleFigures: Equatable, Sendable {
    /// Requested keys for each second; `nil` if the rate changed over time.
    package var ratePerSecond: Double?
    /// Keys that were due.
    package var dueCount: UInt64 = 0
    /// Due keys that were never sent, because the backlog was full.
    package var notSentCount: UInt64 = 0
    /// The greatest length of the backlog.
    package var backlogMax: UInt64 = 0
    /// From the due time of an operation to its sending, in nanoseconds.
    package var lateness = LatencyHistogram.latencies()

    package init() {}

    /// Share of due keys that were never sent; `nil` if no key was due.
    package var notSentShare: Double? {
        dueCount == 0 ? nil : Double(notSentCount) / Double(dueCount)
    }

    /// Whether nearly all due keys were sent, and nearly all of those in time: then the requested
    /// rate is the sent rate.
    package var isKept: Bool {
        if let share = notSentShare, 1 - share < LoadTestLimits.keptShareMin { return false }
        return isInTime
    }

    /// Whether nearly all sent keys left soon after they were due.
    package var isInTime: Bool {
        lateness.totalCount == 0
            || lateness.valueAtPercentile(LoadTestLimits.keptShareMin * 100)
                <= LoadTestLimits.latenessMax
    }

    /// Adds the schedule of another thread or process. Backlogs are added, too, as each had its
    /// own.
    package mutating func merge(_ other: ScheduleFigures) {
        let waiting = backlogMax + other.backlogMax
        let rates = [ratePerSecond, other.ratePerSecond].compactMap(\.self)
        append(other)
        backlogMax = waiting
        ratePerSecond = rates.count == 2 ? rates[0] + rates[1] : nil
    }

    /// Adds a later schedule.
    package mutating func append(_ later: ScheduleFigures) {
        if ratePerSecond != later.ratePerSecond { ratePerSecond = nil }
        dueCount += later.dueCount
        notSentCount += later.notSentCount
        backlogMax = max(backlogMax, later.backlogMax)
        lateness.add(later.lateness)
    }
}
