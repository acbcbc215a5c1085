package import Histogram

/// Nanoseconds, counted in buckets that are never wider than a thousandth of their value [1].
///
/// [1] G. Tene: HdrHistogram.
package typealias LatencyHistogram = Histogram<UInt64>

extension Histogram where Count == UInt64 {
    /// What is slower than an hour counts as an hour.
    static var nanosecondsMax: UInt64 { 3_600_000_000_000 }

    /// For a whole phase: to three digits. 270 KiB, and recording never allocates.
    package static func latencies() -> LatencyHistogram {
        LatencyHistogram(
            highestTrackableValue: nanosecondsMax, numberOfSignificantValueDigits: .three)
    }

    /// For a moment: to two digits, and as large as what it holds.
    package static func ofMoment() -> LatencyHistogram {
        LatencyHistogram(numberOfSignificantValueDigits: .two)
    }

    /// Counts one latency.
    package mutating func note(nanoseconds: UInt64) {
        record(Swift.min(nanoseconds, Self.nanosecondsMax))
    }

    /// Nanoseconds that `percentile` of a hundred answers did not exceed.
    ///
    /// - Returns: `nil` if fewer than ten answers stand behind it: of 999 answers nobody knows
    ///   the 99th percentile.
    /// - Complexity: O(buckets).
    package func known(_ percentile: Double) -> UInt64? {
        let behind = Double(totalCount) * (100 - percentile) / 100
        return behind + 1e-6 >= 10 ? valueAtPercentile(percentile) : nil
    }

    /// The slowest, exactly; `nil` if nothing was answered.
    package var slowest: UInt64? { totalCount == 0 ? nil : maxRecorded }
}
