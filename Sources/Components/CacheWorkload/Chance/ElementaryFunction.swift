/// Logarithm and exponential function, in our own code.
///
/// The results of the system's functions differ in the last bit between machines, and a key that
/// was drawn with them could differ, too. These are sums and products alone, with equal results
/// everywhere; their error is below 4 units of the last place.
public enum ElementaryFunction {
    /// ln 2 in two parts: the first has so few bits that its multiples are exact.
    @usableFromInline package static let ln2High = 0x1.62e42fee00000p-1
    @usableFromInline package static let ln2Low = 0x1.a39ef35793c76p-33
    @usableFromInline package static let inverseLn2 = 0x1.71547652b82fep+0
    @usableFromInline package static let squareRootOfHalf = 0x1.6a09e667f3bcdp-1

    /// ln x, of a finite number above 0.
    @inlinable
    package static func logarithm(_ x: Double) -> Double {
        if x < .leastNormalMagnitude { return logarithm(x * 0x1p54) - logarithm(0x1p54) }
        // A fraction between √½ and √2, so that what is near 1 has an exponent of 0 and loses
        // nothing.
        let offset = x.bitPattern &- squareRootOfHalf.bitPattern
        let exponent = Double(Int64(bitPattern: offset) >> 52)
        let fraction = Double(
            bitPattern: offset & 0x000F_FFFF_FFFF_FFFF &+ squareRootOfHalf.bitPattern)
        let rest = fraction - 1
        let ratio = rest / (2 + rest)
        return exponent * ln2High
            + (2 * ratio + (ratio * artanhTail(ratio * ratio) + exponent * ln2Low))
    }

    /// ln(1 + x) ÷ x, and 1 at 0, of a finite number above −1.
    @inlinable
    package static func logarithmRatio(_ x: Double) -> Double {
        guard x > -0.29, x < 0.41 else { return logarithm(1 + x) / x }
        let divisor = 2 + x
        let ratio = x / divisor
        return (2 + artanhTail(ratio * ratio)) / divisor
    }

    /// e to the power of x; 0 below −708, and infinite above 709.
    @inlinable
    package static func exponential(_ x: Double) -> Double {
        if x > 709 { return .infinity }
        if x < -708 { return 0 }
        // Rounds by a conversion alone: rounding would call the system's library.
        let exponent = Int(x * inverseLn2 + (x < 0 ? -0.5 : 0.5))
        let rest = (x - Double(exponent) * ln2High) - Double(exponent) * ln2Low
        let power = 1 + rest * seriesRatio(rest)
        return power * Double(bitPattern: UInt64(exponent + 1_023) << 52)
    }

    /// (e to the power of x, − 1) ÷ x, and 1 at 0, of a number up to 709.
    @inlinable
    package static func exponentialRatio(_ x: Double) -> Double {
        abs(x) < 0.35 ? seriesRatio(x) : (exponential(x) - 1) / x
    }

    /// `base` to the power of `exponent`; `base` is finite and above 0.
    @inlinable
    package static func power(_ base: Double, _ exponent: Double) -> Double {
        exponential(exponent * logarithm(base))
    }

    // Both series are summed in two halves, which a processor adds in parallel.

    /// 2 artanh(s) ÷ s − 2, from s². Enough terms for s² up to 0.0303, which is s at √2.
    @inlinable
    package static func artanhTail(_ square: Double) -> Double {
        let fourth = square * square
        var odd = 2.0 / 23
        odd = odd * fourth + 2.0 / 19
        odd = odd * fourth + 2.0 / 15
        odd = odd * fourth + 2.0 / 11
        odd = odd * fourth + 2.0 / 7
        odd = odd * fourth + 2.0 / 3
        var even = 2.0 / 21
        even = even * fourth + 2.0 / 17
        even = even * fourth + 2.0 / 13
        even = even * fourth + 2.0 / 9
        even = even * fourth + 2.0 / 5
        return odd * square + even * fourth
    }

    /// (e to the power of x, − 1) ÷ x by its series, for x within ±0.35.
    @inlinable
    package static func seriesRatio(_ x: Double) -> Double {
        let square = x * x
        var even = 1.0 / 6_227_020_800
        even = even * square + 1.0 / 39_916_800
        even = even * square + 1.0 / 362_880
        even = even * square + 1.0 / 5_040
        even = even * square + 1.0 / 120
        even = even * square + 1.0 / 6
        var odd = 1.0 / 479_001_600
        odd = odd * square + 1.0 / 3_628_800
        odd = odd * square + 1.0 / 40_320
        odd = odd * square + 1.0 / 720
        odd = odd * square + 1.0 / 24
        odd = odd * square + 1.0 / 2
        return 1 + (odd * x + even * square)
    }
}
