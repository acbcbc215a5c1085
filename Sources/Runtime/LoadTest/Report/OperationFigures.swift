import Histogram

/// The measurements of one kind of operation in one phase.
package struct OperationFigures: Equatable, Sendable {
    /// Name of the kind in flags: `get`, `set`, `invalidate`.
    package var kind: String
    /// Whether it ends with a receipt of the publisher instead of a shard's answer: such latencies
    /// are of another magnitude and are never mixed with the others.
    package var isInvalidation: Bool
    /// Operations that were answered, errors included: a batch is one.
    package var operationCount: UInt64 = 0
    /// Keys that were answered, errors included; without batches the same number.
    package var keyCount: UInt64 = 0
    /// Requests that were sent again, because their keys were on the way to another shard.
    package var repeatedCount: UInt64 = 0
    /// Lookups answered with a fresh value.
    package var hitCount: UInt64 = 0
    package var missCount: UInt64 = 0
    /// Lookups answered with a stale value.
    package var staleCount: UInt64 = 0
    /// Keys without a useful answer, by the name of the outcome: `busy`, `behind`, `refused`,
    /// `lost`.
    package var errors: [String: UInt64] = [:]
    /// Bytes of the values that were read or stored; `nil` if they were not counted.
    package var valueBytes: UInt64?
    /// From the due time of an operation to its answer, in nanoseconds, one entry for each
    /// operation. Failed operations are left out: a refusal is quick and must not look good.
    package var latency = LatencyHistogram.latencies()

    package init(kind: String, isInvalidation: Bool = false) {
        self.kind = kind
        self.isInvalidation = isInvalidation
    }

    /// Whether it stores the value of a missed lookup, so that there is something to verify. The
    /// workload did not ask for it, and no headline contains it.
    package var isFill: Bool { kind == MeasuredKind.fill.name }

    /// Keys with a useful answer: a value, a miss, or success.
    package var goodKeyCount: UInt64 { keyCount - min(keyCount, errorCount) }

    package var errorCount: UInt64 { errors.values.reduce(0, +) }
    package var lookupCount: UInt64 { hitCount + staleCount + missCount }

    /// Share of lookups that were hits, stale ones included; `nil` without a lookup.
    package var hitRatio: Double? {
        lookupCount == 0 ? nil : Double(hitCount + staleCount) / Double(lookupCount)
    }

    /// Adds measurements of the same kind.
    package mutating func merge(_ other: OperationFigures) {
        precondition(kind == other.kind, "only figures of one kind are one figure")
        operationCount += other.operationCount
        keyCount += other.keyCount
        repeatedCount += other.repeatedCount
        hitCount += other.hitCount
        missCount += other.missCount
        staleCount += other.staleCount
        errors.merge(other.errors, uniquingKeysWith: +)
        if let bytes = other.valueBytes { valueBytes = (valueBytes ?? 0) + bytes }
        latency.add(other.latency)
    }
}
