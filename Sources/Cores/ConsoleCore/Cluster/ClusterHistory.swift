package import CacheModel

/// Rates of the whole cluster in the last minute.
package struct ClusterHistory: Hashable, Sendable {
    package struct Moment: Hashable, Sendable {
        package var at: Instant
        package var totals: ClusterTotals
    }

    package private(set) var moments: [Moment] = []

    package init() {}

    package mutating func add(_ moment: Moment) {
        moments.append(moment)
        let isOld = { (old: Moment) in
            moment.at.elapsed(since: old.at) > ConsoleLimits.historySpan
        }
        let old = moments.prefix(while: isOld).count
        let most = ConsoleLimits.historyMomentsMax
        moments.removeFirst(max(old, moments.count - most))
    }

    /// The last minute in `count` parts, oldest first: the mean of the readings in each. A part
    /// without readings repeats the one before it; a part with readings but no values is `nil`.
    package func means(
        _ value: (ClusterTotals) -> Double?, in count: Int, now: Instant
    ) -> [Double?] {
        guard count > 0 else { return [] }
        var sums = Array(repeating: 0.0, count: count)
        var counts = Array(repeating: 0, count: count)
        var looks = Array(repeating: 0, count: count)
        let span = Double(ConsoleLimits.historySpan.wholeNanoseconds)
        for moment in moments {
            let age = Double(now.elapsed(since: moment.at).wholeNanoseconds)
            guard age < span else { continue }
            let part = count - 1 - min(count - 1, Int(age / span * Double(count)))
            looks[part] += 1
            guard let value = value(moment.totals) else { continue }
            sums[part] += value
            counts[part] += 1
        }
        var means: [Double?] = []
        for part in 0..<count {
            let mean = counts[part] > 0 ? sums[part] / Double(counts[part]) : nil
            means.append(looks[part] == 0 ? means.last ?? nil : mean)
        }
        return means
    }
}
