import Histogram

/// What one phase of a load test measured; of one thread, or merged over all.
package struct PhaseFigures: Equatable, Sendable {
    package var name: String
    /// Its figures stand apart and are in no total.
    package var isWarmUp = false
    /// What was asked for in this phase, in one line.
    package var asked = ""
    /// Seconds from the start of the run to the start of this phase.
    package var offsetSeconds = 0.0
    /// How long it was measured, to the last answer that counts.
    package var seconds = 0.0
    /// One for each kind that was asked for, in the order in which they are read.
    package var operations: [OperationFigures] = []
    package var series = MomentSeries()
    /// Only of an open loop: what its schedule asked for.
    package var schedule: ScheduleFigures?
    package var generator = GeneratorFigures()
    /// Whether somebody ended it before its time.
    package var wasCutShort = false

    package init(name: String) {
        self.name = name
    }
}

extension PhaseFigures {
    /// What was asked for: all kinds but fills.
    private var wanted: [OperationFigures] { operations.filter { !$0.isFill } }

    package var operationCount: UInt64 { sum(\.operationCount) }
    package var keyCount: UInt64 { sum(\.keyCount) }
    /// Keys that were answered without error.
    package var goodKeyCount: UInt64 { sum(\.goodKeyCount) }
    package var hitCount: UInt64 { sum(\.hitCount) }
    package var missCount: UInt64 { sum(\.missCount) }
    package var staleCount: UInt64 { sum(\.staleCount) }
    package var errorCount: UInt64 { sum(\.errorCount) }

    /// Keys answered without error for each second; `nil` if no time passed.
    package var keysPerSecond: Double? { seconds > 0 ? Double(goodKeyCount) / seconds : nil }
    /// Operations that were done for each second: those that have a latency.
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

    /// From sending an invalidation to its whole receipt.
    package var invalidationLatency: LatencyHistogram { merged(\.isInvalidation) }

    private func merged(_ isWanted: (OperationFigures) -> Bool) -> LatencyHistogram {
        wanted.filter(isWanted).reduce(into: .latencies()) { $0.add($1.latency) }
    }

    private func sum(_ count: KeyPath<OperationFigures, UInt64>) -> UInt64 {
        wanted.reduce(0) { $0 + $1[keyPath: count] }
    }
}
