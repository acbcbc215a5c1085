import Histogram

/// The answers within one short part of a phase, usually a second.
package struct Moment: Equatable, Sendable {
    /// How much of that part was measured: less than all of it at the end of a phase.
    package var seconds = 0.0
    /// Operations answered, errors included: a batch is one.
    package var operationCount: UInt64 = 0
    /// Keys answered, errors included, fills left out.
    package var keyCount: UInt64 = 0
    /// Lookups answered with a value, fresh or stale.
    package var hitCount: UInt64 = 0
    package var missCount: UInt64 = 0
    package var errorCount: UInt64 = 0
    /// Keys that an open loop was due to send and did not.
    package var notSentCount: UInt64 = 0
    /// Nanoseconds from due to answered, for all answers of shards without error. With two digits,
    /// so to within one hundredth: for a curve over time.
    package var latency = LatencyHistogram.ofMoment()
    /// The same for invalidations, up to their complete receipts.
    package var invalidationLatency = LatencyHistogram.ofMoment()

    package init() {}

    /// Keys answered without error for each second; `nil` if no time passed.
    package var keysPerSecond: Double? {
        seconds > 0 ? Double(keyCount - min(keyCount, errorCount)) / seconds : nil
    }
    package var errorsPerSecond: Double? { seconds > 0 ? Double(errorCount) / seconds : nil }
    package var notSentPerSecond: Double? { seconds > 0 ? Double(notSentCount) / seconds : nil }

    /// Share of lookups that were hits; `nil` without a lookup.
    package var hitRatio: Double? {
        let lookups = hitCount + missCount
        return lookups == 0 ? nil : Double(hitCount) / Double(lookups)
    }

    /// Adds the counts of another thread or process in the same part.
    package mutating func merge(_ other: Moment) {
        seconds = max(seconds, other.seconds)
        add(other)
    }

    /// Adds the part that follows.
    package mutating func append(_ next: Moment) {
        seconds += next.seconds
        add(next)
    }

    private mutating func add(_ other: Moment) {
        operationCount += other.operationCount
        keyCount += other.keyCount
        hitCount += other.hitCount
        missCount += other.missCount
        errorCount += other.errorCount
        notSentCount += other.notSentCount
        latency.add(other.latency)
        invalidationLatency.add(other.invalidationLatency)
    }
}
