/// Draws ranks 1 … count in proportion to 1 ÷ rank^exponent, in constant time and space.
///
/// Rejection-inversion [1]: it inverts the integral of a function above the weights, and rejects
/// draws outside of the weights, which happens in a few of a hundred draws.
///
/// [1] W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from monotone discrete
/// distributions, ACM TOMACS 6 (1996).
public struct ZipfSampler: Sendable {
    @usableFromInline package let count: Int
    @usableFromInline package let exponent: Double
    @usableFromInline package let firstIntegral: Double
    @usableFromInline package let lastIntegral: Double
    @usableFromInline package let shortcut: Double

    /// - Parameter count: at least 1.
    /// - Parameter exponent: above 0 and below 10.
    package init(count: Int, exponent: Double) {
        precondition(count > 0, "there is at least one rank")
        precondition(exponent > 0 && exponent < 10, "ranks differ, and can be told apart")
        self.count = count
        self.exponent = exponent
        firstIntegral = Self.integral(1.5, exponent) - 1
        lastIntegral = Self.integral(Double(count) + 0.5, exponent)
        let second = Self.integral(2.5, exponent) - ElementaryFunction.power(2, -exponent)
        shortcut = 2 - Self.inverse(second, exponent)
    }

    @inlinable
    package func draw(_ random: inout WorkloadRandom) -> Int {
        while true {
            if let rank = rank(unit: random.unit()) { return rank }
        }
    }

    /// The rank for a number in 0 ..< 1; `nil` if the draw was rejected: draw again.
    @inlinable
    package func rank(unit: Double) -> Int? {
        let area = lastIntegral + unit * (firstIntegral - lastIntegral)
        let point = Self.inverse(area, exponent)
        let rank = min(max(Int(point + 0.5), 1), count)
        if Double(rank) - point <= shortcut { return rank }
        let weight = ElementaryFunction.power(Double(rank), -exponent)
        return area >= Self.integral(Double(rank) + 0.5, exponent) - weight ? rank : nil
    }

    /// ∫ x^(−exponent) dx from 1, written so that it is exact near an exponent of 1.
    @inlinable
    package static func integral(_ x: Double, _ exponent: Double) -> Double {
        let logarithm = ElementaryFunction.logarithm(x)
        return logarithm * ElementaryFunction.exponentialRatio((1 - exponent) * logarithm)
    }

    @inlinable
    package static func inverse(_ area: Double, _ exponent: Double) -> Double {
        // Rounding may exceed the domain of the logarithm: the value is clamped.
        let scaled = max(area * (1 - exponent), -1 + 0x1p-53)
        return ElementaryFunction.exponential(area * ElementaryFunction.logarithmRatio(scaled))
    }
}
