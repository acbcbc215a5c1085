/// The value of a sample.
package enum MetricValue: Hashable, Sendable {
    case count(UInt64)
    case number(Double)
    case histogram(DurationHistogram)

    /// The number as both formats write it.
    var text: String {
        switch self {
        case .count(let count): "\(count)"
        case .number(let number): Self.text(number)
        case .histogram(let histogram): "\(histogram.count)"
        }
    }

    static func text(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
        return "\(number)"
    }
}
