import Histogram

/// The percentiles of one histogram, from the fastest answer to the rarest known one, as in HDR
/// plots: each decade to the right is ten times rarer [1].
///
/// [1] G. Tene: HdrHistogram.
struct LatencyCurve: Equatable {
    struct Point: Equatable {
        /// 1 ÷ (1 − share of answers that were not slower): 1 for the fastest, 100 for p99.
        var rarity: Double
        var nanoseconds: UInt64
    }

    /// Points with at least ten answers beyond them.
    let points: [Point]
    /// The slowest answer, at the rarity of one answer; `nil` without answers.
    let slowest: Point?

    private static let stepsPerDecade = 48.0

    /// - Complexity: O(buckets).
    init(_ latency: LatencyHistogram) {
        let count = Double(latency.totalCount)
        guard let last = latency.slowest else {
            points = []
            slowest = nil
            return
        }
        slowest = Point(rarity: count, nanoseconds: last)
        var points: [Point] = []
        var reached = 0.0
        var step = 0.0
        for bucket in latency.recordedValues() {
            reached += Double(bucket.count)
            while true {
                let rarity = Self.power(of: step)
                let rank = max(1, count * (1 - 1 / rarity))
                guard rarity * 10 <= count * (1 + 1e-9), rank <= reached * (1 + 1e-12) else {
                    break
                }
                points.append(Point(rarity: rarity, nanoseconds: min(bucket.value, last)))
                step += 1
            }
        }
        self.points = points
    }

    /// 10 to the power of step ÷ ``stepsPerDecade``, exact at whole decades.
    private static func power(of step: Double) -> Double {
        let decades = (step / stepsPerDecade).rounded(.down)
        let rest = step - decades * stepsPerDecade
        let whole = (0..<Int(decades)).reduce(1.0) { power, _ in power * 10 }
        return whole * Scale.powerOfTen(rest / stepsPerDecade)
    }
}
