package import Histogram

/// Nanoseconds, in buckets that are at most one thousandth of their value wide [1].
///
/// [1] G. Tene: HdrHistogram.
package typealias LatencyHistogram = Histogram<UInt64>

extension Histogram where Count == UInt64 {
    /// Latencies above an hour count as an hour.
    static var nanosecondsMax: UInt64 { 3_600_000_000_000 }

    /// For a whole phase: with three digits. 270 KiB, and recording never allocates.
    package static func latencies() -> LatencyHistogram {
        LatencyHistogram(
            highestTrackableValue: nanosecondsMax, numberOfSignificantValueDigits: .three)
    }

    /// For a moment: with two digits; it grows with its contents.
    package static func ofMoment() -> LatencyHistogram {
        LatencyHistogram(numberOfSignificantValueDigits: .two)
    }

    /// Counts one latency.
    package mutating func note(nanoseconds: UInt64) {
        record(Swift.min(nanoseconds, Self.nanosecondsMax))
    }

    /// The latency in nanoseconds that `percentile` percent of the answers did not exceed.
    ///
    /// - Returns: `nil` if fewer than ten answers lie beyond it: 999 answers do not show the 99th
    ///   percentile.
    /// - Complexity: O(buckets).
    package func known(_ percentile: Double) -> UInt64? {
        let behind = Double(totalCount) * (100 - percentile) / 100
        return behind + 1e-6 >= 10 ? valueAtPercentile(percentile) : nil
    }

    /// The slowest latency, exactly; `nil` without answers.
    package var slowest: UInt64? { totalCount == 0 ? nil : maxRecorded }
}
