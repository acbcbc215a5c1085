import Foundation

/// Draws ranks 1 … count in proportion to 1 ÷ rank^exponent, in constant time and space.
///
/// Rejection-inversion [1]: invert the integral of a function that lies above the weights, and
/// throw the draw away where it does not hit – which happens in a few draws of a hundred.
///
/// [1] W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from monotone discrete
/// distributions, ACM TOMACS 6 (1996).
struct ZipfSampler {
    private let count: Int
    private let exponent: Double
    private let firstIntegral: Double
    private let lastIntegral: Double
    private let shortcut: Double

    init(count: Int, exponent: Double) {
        self.count = count
        self.exponent = exponent
        firstIntegral = Self.integral(1.5, exponent) - 1
        lastIntegral = Self.integral(Double(count) + 0.5, exponent)
        shortcut = 2 - Self.inverse(Self.integral(2.5, exponent) - pow(2, -exponent), exponent)
    }

    /// The rank for a number in 0 ..< 1; `nil` if the draw was rejected: draw again.
    func rank(unit: Double) -> Int? {
        let area = lastIntegral + unit * (firstIntegral - lastIntegral)
        let point = Self.inverse(area, exponent)
        let rank = min(max(Int(point + 0.5), 1), count)
        if Double(rank) - point <= shortcut { return rank }
        let weight = pow(Double(rank), -exponent)
        return area >= Self.integral(Double(rank) + 0.5, exponent) - weight ? rank : nil
    }

    /// ∫ x^(−exponent) dx, written so that it is exact near an exponent of 1.
    private static func integral(_ x: Double, _ exponent: Double) -> Double {
        let logarithm = log(x)
        let scaled = (1 - exponent) * logarithm
        return abs(scaled) > 1e-8 ? expm1(scaled) / (1 - exponent) : logarithm * (1 + scaled / 2)
    }

    private static func inverse(_ area: Double, _ exponent: Double) -> Double {
        let scaled = max(area * (1 - exponent), -1)
        return abs(scaled) > 1e-8
            ? exp(log1p(scaled) / (1 - exponent)) : exp(area * (1 - scaled / 2))
    }
}
