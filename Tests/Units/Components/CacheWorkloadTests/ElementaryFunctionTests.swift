import CacheWorkload
import Foundation
import Testing

/// Held against the system's functions, which are right to the last bit or nearly so.
@Suite struct ElementaryFunctionTests {
    /// In units of the last place of `right`.
    private static func error(_ value: Double, _ right: Double) -> Double {
        abs(value - right) / right.ulp
    }

    private static func numbers(_ range: ClosedRange<Double>, seed: UInt64) -> [Double] {
        var random = WorkloadRandom(seed: seed)
        return (0..<20_000).map { _ in
            range.lowerBound + random.unit() * (range.upperBound - range.lowerBound)
        }
    }

    @Test func theLogarithmIsRightToAFewLastPlaces() {
        for exponent in Self.numbers(-300...300, seed: 1) {
            let x = pow(10, exponent)
            #expect(Self.error(ElementaryFunction.logarithm(x), log(x)) <= 4, "\(x)")
        }
        for x in Self.numbers(0.5...2, seed: 2) {
            #expect(Self.error(ElementaryFunction.logarithm(x), log(x)) <= 4, "\(x)")
        }
        #expect(ElementaryFunction.logarithm(1) == 0)
        #expect(ElementaryFunction.logarithm(.leastNonzeroMagnitude) < -744)
    }

    @Test func theExponentialIsRightToAFewLastPlaces() {
        for x in Self.numbers(-700...708, seed: 3) + Self.numbers(-1...1, seed: 4) {
            #expect(Self.error(ElementaryFunction.exponential(x), exp(x)) <= 4, "\(x)")
        }
        #expect(ElementaryFunction.exponential(0) == 1)
        #expect(ElementaryFunction.exponential(-709) == 0)
        #expect(ElementaryFunction.exponential(710) == .infinity)
    }

    @Test func theRatiosLoseNothingNearZero() {
        for x in Self.numbers(-0.9...3, seed: 5) + Self.numbers(-1e-6...1e-6, seed: 6) {
            let right = log1p(x) / x
            #expect(Self.error(ElementaryFunction.logarithmRatio(x), right) <= 8, "\(x)")
        }
        for x in Self.numbers(-20...20, seed: 7) + Self.numbers(-1e-6...1e-6, seed: 8) {
            let right = expm1(x) / x
            #expect(Self.error(ElementaryFunction.exponentialRatio(x), right) <= 8, "\(x)")
        }
        #expect(ElementaryFunction.logarithmRatio(0) == 1)
        #expect(ElementaryFunction.exponentialRatio(0) == 1)
    }

    @Test func powersAreRightToWhatTheLogarithmIsMultipliedBy() {
        for exponent in Self.numbers(-3...3, seed: 9) {
            let right = pow(1_234_567.0, exponent)
            #expect(Self.error(ElementaryFunction.power(1_234_567, exponent), right) <= 100)
        }
    }

    /// No fused operation and no library may change a bit: a key would be another one.
    @Test func theBitsAreTheSameOnEveryMachine() {
        #expect(ElementaryFunction.logarithm(10).bitPattern == 0x4002_6BB1_BBB5_5516)
        #expect(ElementaryFunction.exponential(1).bitPattern == 0x4005_BF0A_8B14_576A)
    }
}
