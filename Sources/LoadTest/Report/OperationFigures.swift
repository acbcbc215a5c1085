import Histogram

/// What was measured of one kind of operation in one phase.
package struct OperationFigures: Equatable, Sendable {
    /// Name of the kind as it is typed: `get`, `set`, `invalidate`.
    package let kind: String
    /// Whether it is answered by a receipt of the publisher instead of by a shard: such
    /// latencies are of another size and are never mixed with the others.
    package let isInvalidation: Bool
    /// Operations that were answered, errors included: a batch is one.
    package var operationCount: UInt64 = 0
    /// Keys that were answered, errors included; without batches as many.
    package var keyCount: UInt64 = 0
    /// Lookups answered with a fresh value.
    package var hitCount: UInt64 = 0
    package var missCount: UInt64 = 0
    /// Lookups answered with a stale value.
    package var staleCount: UInt64 = 0
    /// Keys without a useful answer, by the name of the outcome: `busy`, `behind`, `refused`,
    /// `lost`.
    package var errors: [String: UInt64] = [:]
    /// Bytes of the values that were read or stored; `nil` if nobody counted.
    package var valueBytes: UInt64?
    /// From when an operation was due to its answer, in nanoseconds, one entry for each
    /// operation. What failed is not in here: a refusal is quick and must not look good.
    package var latency = LatencyHistogram.latencies()

    package init(kind: String, isInvalidation: Bool = false) {
        self.kind = kind
        self.isInvalidation = isInvalidation
    }

    /// Whether it stores what a lookup missed, so that there is something to verify: nobody asked
    /// for it, and no headline has it.
    package var isFill: Bool { kind == MeasuredKind.fill.name }

    /// Keys that were answered with what was asked for, or with that it is not there.
    package var goodKeyCount: UInt64 { keyCount - min(keyCount, errorCount) }

    package var errorCount: UInt64 { errors.values.reduce(0, +) }
    package var lookupCount: UInt64 { hitCount + staleCount + missCount }

    /// Share of lookups that were hits, stale ones included; `nil` without a lookup.
    package var hitRatio: Double? {
        lookupCount == 0 ? nil : Double(hitCount + staleCount) / Double(lookupCount)
    }

    /// Adds what was measured of the same kind elsewhere.
    package mutating func merge(_ other: OperationFigures) {
        precondition(kind == other.kind, "only figures of one kind are one figure")
        operationCount += other.operationCount
        keyCount += other.keyCount
        hitCount += other.hitCount
        missCount += other.missCount
        staleCount += other.staleCount
        errors.merge(other.errors, uniquingKeysWith: +)
        if let bytes = other.valueBytes { valueBytes = (valueBytes ?? 0) + bytes }
        latency.add(other.latency)
    }
}
