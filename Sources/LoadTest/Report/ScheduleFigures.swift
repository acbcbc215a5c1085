import Histogram

/// What an open loop was asked to send, and how well the generator kept to it.
///
/// Counted in keys, as the rates that it is compared with: a batch of ten that was due is ten.
package struct ScheduleFigures: Equatable, Sendable {
    /// Keys for each second that were asked for; `nil` if the rate changed over time.
    package var ratePerSecond: Double?
    /// Keys that were due.
    package var dueCount: UInt64 = 0
    /// Of these: never sent, because the list of those that wait was full.
    package var notSentCount: UInt64 = 0
    /// The longest that the list of those that were due and not yet sent ever was.
    package var backlogMax: UInt64 = 0
    /// From when an operation was due to when it was sent, in nanoseconds.
    package var lateness = LatencyHistogram.latencies()

    package init() {}

    /// Share of what was due that was never sent; `nil` if nothing was due.
    package var notSentShare: Double? {
        dueCount == 0 ? nil : Double(notSentCount) / Double(dueCount)
    }

    /// Whether nearly all that was due was sent, and nearly all of that in time: the rate that was
    /// asked for is the one that was sent.
    package var isKept: Bool {
        if let share = notSentShare, 1 - share < LoadTestLimits.keptShareMin { return false }
        return isInTime
    }

    /// Whether nearly all that was sent left soon after it was due.
    package var isInTime: Bool {
        lateness.totalCount == 0
            || lateness.valueAtPercentile(LoadTestLimits.keptShareMin * 100)
                <= LoadTestLimits.latenessMax
    }

    /// Adds what another thread or process was asked to send: lists of those that wait are
    /// added, too, as each had its own.
    package mutating func merge(_ other: ScheduleFigures) {
        let waiting = backlogMax + other.backlogMax
        let rates = [ratePerSecond, other.ratePerSecond].compactMap(\.self)
        append(other)
        backlogMax = waiting
        ratePerSecond = rates.count == 2 ? rates[0] + rates[1] : nil
    }

    /// Adds a schedule that came later.
    package mutating func append(_ later: ScheduleFigures) {
        if ratePerSecond != later.ratePerSecond { ratePerSecond = nil }
        dueCount += later.dueCount
        notSentCount += later.notSentCount
        backlogMax = max(backlogMax, later.backlogMax)
        lateness.add(later.lateness)
    }
}
