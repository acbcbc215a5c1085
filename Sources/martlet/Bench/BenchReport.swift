import Foundation
import Histogram

/// What a load test measured: nothing else is reported.
struct BenchReport {
    /// What was asked for, in one line.
    var subject: String
    var seconds: Double
    /// Messages answered; with a batch of one the same as ``keyCount``.
    var operationCount: UInt64 = 0
    var keyCount: UInt64 = 0
    var hitCount: UInt64 = 0
    var missCount: UInt64 = 0
    var errorCount: UInt64 = 0
    /// Nanoseconds from sending a message to its answer.
    var latency = Histogram<UInt64>(
        highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)

    /// Share of lookups that were hits; `nil` without a lookup.
    var hitRatio: Double? {
        let lookups = hitCount + missCount
        return lookups == 0 ? nil : Double(hitCount) / Double(lookups)
    }

    var operationsPerSecond: Double { seconds > 0 ? Double(operationCount) / seconds : 0 }
    var keysPerSecond: Double { seconds > 0 ? Double(keyCount) / seconds : 0 }

    private func microseconds(_ percentile: Double) -> Double {
        Double(latency.valueAtPercentile(percentile)) / 1_000
    }

    /// A table for people.
    var table: String {
        let hits = hitRatio.map { String(format: "%.2f %%", $0 * 100) } ?? "–"
        return """
            \(subject)
              \(Self.grouped(operationCount)) operations in \(String(format: "%.2f", seconds)) s
              \(Self.grouped(UInt64(operationsPerSecond))) operations/s, \
            \(Self.grouped(UInt64(keysPerSecond))) keys/s
              hit ratio \(hits) (\(Self.grouped(hitCount)) hits, \
            \(Self.grouped(missCount)) misses), \(errorCount) errors
              latency µs: p50 \(text(50))  p90 \(text(90))  p99 \(text(99))  p99.9 \(text(99.9))  \
            max \(String(format: "%.0f", Double(latency.max) / 1_000))
            """
    }

    private func text(_ percentile: Double) -> String {
        String(format: "%.0f", microseconds(percentile))
    }

    /// One JSON object. What was not measured is `null`.
    var json: String {
        func number(_ value: Double) -> String { String(format: "%.1f", value) }
        let latencies =
            [("p50", 50.0), ("p90", 90), ("p99", 99), ("p999", 99.9)]
            .map { "\"\($0.0)\":\(number(microseconds($0.1)))" }
            + ["\"max\":\(number(Double(latency.max) / 1_000))"]
        return """
            {"operations":\(operationCount),\
            "operations_per_second":\(number(operationsPerSecond)),\
            "keys_per_second":\(number(keysPerSecond)),\
            "hits":\(hitCount),"misses":\(missCount),"errors":\(errorCount),\
            "latency_us":{\(latencies.joined(separator: ","))},\
            "invalidation_ms":null,"violations":null}
            """
    }

    /// 1234567 as 1 234 567.
    static func grouped(_ value: UInt64) -> String {
        let digits = Array(String(value))
        return digits.indices.reduce(into: "") { text, index in
            if index > 0 && (digits.count - index) % 3 == 0 { text.append(" ") }
            text.append(digits[index])
        }
    }
}
