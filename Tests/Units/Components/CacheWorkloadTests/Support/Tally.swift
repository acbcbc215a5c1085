/// How far counts are from what was expected.
enum Tally {
    /// Pearson's sum over all classes, less its mean, in its standard deviations: within ±5 unless
    /// the counts are from another distribution. Expectations add up to what was counted.
    static func deviation(_ counts: [Int], expected: [Double]) -> Double {
        precondition(counts.count == expected.count && counts.count > 1, "classes pair up")
        let sum = zip(counts, expected).reduce(0) { sum, pair in
            let difference = Double(pair.0) - pair.1
            return sum + difference * difference / pair.1
        }
        let freedom = Double(counts.count - 1)
        return (sum - freedom) / (2 * freedom).squareRoot()
    }

    /// As ``deviation(_:expected:)``, where all classes are as likely.
    static func deviation(_ counts: [Int]) -> Double {
        let each = Double(counts.reduce(0, +)) / Double(counts.count)
        return deviation(counts, expected: Array(repeating: each, count: counts.count))
    }
}
