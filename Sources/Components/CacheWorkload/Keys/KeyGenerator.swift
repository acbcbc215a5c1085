/// Draws key numbers, 0 ..< count, from a seeded generator: the same seed yields the same keys.
///
/// No draw allocates. A zipf draw takes about 40 ns, the others fewer than ten.
public struct KeyGenerator: Sendable {
    @usableFromInline
    package enum Method: Sendable {
        case uniform, sequential
        case zipf(ZipfSampler)
        /// A hot request's word is at most `bound`.
        case hotSet(bound: UInt64, hotCount: Int)
        case latest(ZipfSampler)
    }

    @usableFromInline package let method: Method
    @usableFromInline package let count: Int
    /// Factor of ranks, modulo `count`, that scatters them.
    @usableFromInline package let stride: Int
    /// 2⁶⁴ ÷ `count`, to divide by a multiplication.
    @usableFromInline package let reciprocal: UInt64
    @usableFromInline package var next = 0

    /// - Parameter count: how many initial keys there are: at least 1, at most 2³¹, so that
    ///   products of two key numbers do not overflow.
    package init(_ distribution: KeyDistribution, count: Int) {
        precondition(count > 0 && count <= 1 << 31, "there are keys, and they can be counted")
        self.count = count
        stride = Self.stride(of: count)
        reciprocal = .max / UInt64(count)
        switch distribution {
        case .uniform: method = .uniform
        case .sequential: method = .sequential
        case .zipf(let exponent):
            method = .zipf(ZipfSampler(count: count, exponent: exponent))
        case .hotSet(let requestShare, let keyShare):
            let hot = min(max(Int(keyShare * Double(count) + 0.5), 1), count)
            method = .hotSet(bound: WeightedChoice.bound(requestShare), hotCount: hot)
        case .latest(let exponent):
            method = .latest(ZipfSampler(count: count, exponent: exponent))
        }
    }

    /// The next key number.
    ///
    /// - Parameter insertedCount: how many keys were inserted after the first `count`. Only
    ///   `latest` draws them, and only the newest `count` of all keys.
    @inlinable
    package mutating func draw(_ random: inout WorkloadRandom, insertedCount: Int) -> Int {
        switch method {
        case .uniform: return random.below(count)
        case .sequential: return step()
        case .zipf(let sampler): return scatter(sampler.draw(&random) &- 1)
        case .hotSet(let bound, let hotCount):
            if random.word() <= bound || hotCount == count {
                return scatter(random.below(hotCount))
            }
            return scatter(hotCount + random.below(count - hotCount))
        case .latest(let sampler): return count + insertedCount - sampler.draw(&random)
        }
    }

    /// The next key of a cycle.
    @inlinable
    package mutating func step() -> Int {
        let key = next
        next = next + 1 == count ? 0 : next + 1
        return key
    }

    /// Spreads ranks, 0 ..< count, evenly over the key numbers, one to one.
    @inlinable
    package func scatter(_ rank: Int) -> Int {
        let product = rank &* stride
        // The product is below 2⁶², so this is the quotient by `count`, or one less.
        let part = UInt64(truncatingIfNeeded: product).multipliedFullWidth(by: reciprocal).high
        let rest = product &- Int(truncatingIfNeeded: part) &* count
        return rest < count ? rest : rest &- count
    }

    /// A number coprime to `count`, near its golden section: its multiples lie far apart.
    private static func stride(of count: Int) -> Int {
        var stride = max(1, Int(Double(count) * 0.618_033_988_749_895))
        while greatestDivisor(stride, count) != 1 { stride += 1 }
        return stride
    }

    private static func greatestDivisor(_ left: Int, _ right: Int) -> Int {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return left
    }
}

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
