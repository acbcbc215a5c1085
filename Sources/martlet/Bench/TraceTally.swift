import Histogram

/// The counts of a replay, of one worker or of all.
struct TraceTally: Sendable {
    private var hitCount: UInt64 = 0
    private var missCount: UInt64 = 0
    private var latencies: [UInt64] = []

    mutating func note(isHit: Bool, nanoseconds: UInt64) {
        if isHit { hitCount += 1 } else { missCount += 1 }
        latencies.append(nanoseconds)
    }

    mutating func add(_ other: TraceTally) {
        hitCount += other.hitCount
        missCount += other.missCount
        latencies += other.latencies
    }

    func report(subject: String, seconds: Double) -> BenchReport {
        var report = BenchReport(subject: subject, seconds: seconds)
        report.operationCount = hitCount + missCount
        report.keyCount = report.operationCount
        report.hitCount = hitCount
        report.missCount = missCount
        for latency in latencies { report.latency.record(latency) }
        return report
    }
}
