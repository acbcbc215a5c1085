import CacheModel
import Histogram
import MartletClient

/// The counts of a running load test.
struct BenchTally {
    private var keyCount: UInt64 = 0
    private var hitCount: UInt64 = 0
    private var missCount: UInt64 = 0
    private var errorCount: UInt64 = 0
    private var latency = Histogram<UInt64>(
        highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)

    /// Notes one answered key.
    ///
    /// - Parameter now: when the run of answers was taken, read once for the run: an answer may
    ///   have come a little later, never earlier than it was sent.
    mutating func note(_ outcome: PipelinedOutcome, sentAt: Instant, now: Instant) {
        keyCount += 1
        switch outcome {
        case .hit, .stale: hitCount += 1
        case .miss: missCount += 1
        case .stored: break
        case .busy, .behind, .refused, .lost: errorCount += 1
        }
        latency.record(
            now.nanoseconds > sentAt.nanoseconds ? now.nanoseconds - sentAt.nanoseconds : 0)
    }

    func report(subject: String, seconds: Double, batch: Int) -> BenchReport {
        var report = BenchReport(subject: subject, seconds: seconds)
        report.operationCount = keyCount / UInt64(batch)
        report.keyCount = keyCount
        report.hitCount = hitCount
        report.missCount = missCount
        report.errorCount = errorCount
        report.latency = latency
        return report
    }
}
