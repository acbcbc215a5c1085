import Histogram

/// The measurements of one phase of a load test; of one thread, or merged over all.
package struct PhaseFigures: Equatable, Sendable {
    package var name: String
    /// Its numbers are shown separately and are in no total.
    package var isWarmUp = false
    /// The requested load of this phase, in one line.
    package var asked = ""
    /// Seconds from the start of the run to the start of this phase.
    package var offsetSeconds = 0.0
    /// How long it was measured, to the last answer that counts.
    package var seconds = 0.0
    /// One for each requested kind, in the order of the report.
    package var operations: [OperationFigures] = []
    package var series = MomentSeries()
    /// The schedule's numbers; only for an open loop.
    package var schedule: ScheduleFigures?
    package var generator = GeneratorFigures()
    /// Whether it was ended before its time.
    package var wasCutShort = false

    package init(name: String) {
        self.name = name
    }
}

extension PhaseFigures {
    /// The requested operations: all kinds but fills.
    private var wanted: [OperationFigures] { operations.filter { !$0.isFill } }

    package var operationCount: UInt64 { sum(\.operationCount) }
    package var keyCount: UInt64 { sum(\.keyCount) }
    /// Keys that were answered without error.
    package var goodKeyCount: UInt64 { sum(\.goodKeyCount) }
    package var hitCount: UInt64 { sum(\.hitCount) }
    package var missCount: UInt64 { sum(\.missCount) }
    package var staleCount: UInt64 { sum(\.staleCount) }
    package var errorCount: UInt64 { sum(\.errorCount) }
    package var repeatedCount: UInt64 { sum(\.repeatedCount) }

    /// Keys answered without error for each second; `nil` if no time passed.
    package var keysPerSecond: Double? { seconds > 0 ? Double(goodKeyCount) / seconds : nil }
    /// Successful operations for each second: those with a latency.
    package var operationsPerSecond: Double? {
        let count = wanted.reduce(0) { $0 + $1.latency.totalCount }
        return seconds > 0 ? Double(count) / seconds : nil
    }

    /// Share of lookups that were hits, stale ones included; `nil` without a lookup.
    package var hitRatio: Double? {
        let lookups = operations.reduce(0) { $0 + $1.lookupCount }
        return lookups == 0 ? nil : Double(lookups - missCount) / Double(lookups)
    }

    /// Errors by the name of the outcome, over all kinds.
    package var errors: [String: UInt64] {
        wanted.reduce(into: [:]) { $0.merge($1.errors, uniquingKeysWith: +) }
    }

    /// The latencies of every kind that a shard answers.
    package var latency: LatencyHistogram { merged { !$0.isInvalidation } }

    /// From sending an invalidation to its complete receipt.
    package var invalidationLatency: LatencyHistogram { merged(\.isInvalidation) }

    private func merged(_ isWanted: (OperationFigures) -> Bool) -> LatencyHistogram {
        wanted.filter(isWanted).reduce(into: .latencies()) { $0.add($1.latency) }
    }

    private func sum(_ count: KeyPath<OperationFigures, UInt64>) -> UInt64 {
        wanted.reduce(0) { $0 + $1[keyPath: count] }
    }
}

extension PhaseFigures {
    /// Adds the measurements of another thread or process in the same phase, at the same time.
    ///
    /// The duration is the longer one of both, so that no rate looks better than it was.
    package mutating func merge(_ other: PhaseFigures) {
        seconds = max(seconds, other.seconds)
        offsetSeconds = min(offsetSeconds, other.offsetSeconds)
        series.merge(other.series)
        if let added = other.schedule {
            if schedule == nil { schedule = added } else { schedule?.merge(added) }
        }
        add(other)
    }

    /// Adds a later phase. Only counts and histograms: a series has its own times.
    package mutating func append(_ later: PhaseFigures) {
        seconds += later.seconds
        if let added = later.schedule {
            if schedule == nil { schedule = added } else { schedule?.append(added) }
        }
        add(later)
    }

    private mutating func add(_ other: PhaseFigures) {
        for figures in other.operations {
            if let index = operations.firstIndex(where: { $0.kind == figures.kind }) {
                operations[index].merge(figures)
            } else {
                operations.append(figures)
            }
        }
        generator.merge(other.generator)
        wasCutShort = wasCutShort || other.wasCutShort
    }
}
