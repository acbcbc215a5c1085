import LibC

/// Maps values to positions along an axis, 0 at its start and 1 at its end.
struct Scale: Equatable {
    enum Kind { case linear, logarithmic }

    let kind: Kind
    let lowest: Double
    let highest: Double

    /// From zero to a round number at or above `highest`.
    static func fromZero(to highest: Double, tickCount: Int = 5) -> Scale {
        let step = roundStep(atLeast: max(highest, 1e-9) / Double(tickCount))
        return Scale(kind: .linear, lowest: 0, highest: step * (highest / step - 1e-9).rounded(.up))
    }

    /// From a power of ten, or 2 or 5 times one, to another, around the values.
    ///
    /// - Parameter values: above zero; others are ignored.
    static func logarithmic(around values: [Double]) -> Scale {
        let values = values.filter { $0 > 0 && $0.isFinite }
        let lowest = roundStep(atMost: values.min() ?? 1)
        let highest = roundStep(atLeast: values.max() ?? 10)
        return Scale(
            kind: .logarithmic, lowest: lowest,
            highest: highest > lowest * 1.5 ? highest : lowest * 10)
    }

    /// - Returns: `nil` for values outside of the axis.
    func position(_ value: Double) -> Double? {
        guard value.isFinite else { return nil }
        switch kind {
        case .linear:
            guard highest > lowest else { return nil }
            return min(max((value - lowest) / (highest - lowest), 0), 1)
        case .logarithmic:
            guard value > 0 else { return nil }
            return min(max(log(value / lowest) / log(highest / lowest), 0), 1)
        }
    }

    /// Round values along the axis: steps of 1, 2 or 5 on a linear one. On a logarithmic one:
    /// powers of ten, and 2 and 5 times them if there is space.
    func ticks(countMax: Int = 6) -> [Double] {
        switch kind {
        case .linear:
            let step = Self.roundStep(atLeast: (highest - lowest) / Double(countMax) * (1 - 1e-9))
            return (0...countMax).map { lowest + Double($0) * step }
                .filter { $0 <= highest * (1 + 1e-9) }
        case .logarithmic:
            return decadeTicks
        }
    }

    private var decadeTicks: [Double] {
        let decades = log10(highest / lowest)
        var factors: [Double] = [1]
        if decades <= 3.4 { factors = [1, 3] }
        if decades <= 1.4 { factors = [1, 2, 5] }
        let first = Int(log10(lowest).rounded(.down))
        let last = Int(log10(highest).rounded(.up))
        let bounds = lowest * (1 - 1e-9)...highest * (1 + 1e-9)
        var ticks: [Double] = []
        for power in first...last {
            ticks += factors.map { $0 * Self.powerOfTen(Double(power)) }.filter(bounds.contains)
        }
        return ticks
    }

    static func powerOfTen(_ exponent: Double) -> Double { pow(10, exponent) }

    private static func roundStep(atLeast value: Double) -> Double {
        let power = powerOfTen(log10(value).rounded(.down))
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= value * (1 - 1e-9) } ?? 10 * power
    }

    private static func roundStep(atMost value: Double) -> Double {
        let power = powerOfTen(log10(value).rounded(.down))
        return [5, 2, 1].map { $0 * power }.first { $0 <= value * (1 + 1e-9) } ?? power
    }
}
