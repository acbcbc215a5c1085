/// A row of measurements of one thing, and what to say of them.
struct Sample: Sendable {
    private var values: [Double] = []

    init(_ values: [Double] = []) { self.values = values }

    mutating func add(_ value: Double) { values.append(value) }
    mutating func add(_ other: Sample) { values += other.values }

    var count: Int { values.count }
    var median: Double { quantile(0.5) }
    var greatest: Double { values.max() ?? 0 }
    var least: Double { values.min() ?? 0 }

    /// The value that this share of them does not exceed; 0 of none.
    func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return sorted[min(max(rank, 0), sorted.count - 1)]
    }
}
