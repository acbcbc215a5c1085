/// A row of measurements of one thing, and what to say of them.
struct Sample {
    private var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    var median: Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    var greatest: Double { values.max() ?? 0 }
    var least: Double { values.min() ?? 0 }
    var last: Double { values.last ?? 0 }
    var count: Int { values.count }
    func count(above bound: Double) -> Int { values.filter { $0 > bound }.count }
    var sum: Double { values.reduce(0, +) }
}
