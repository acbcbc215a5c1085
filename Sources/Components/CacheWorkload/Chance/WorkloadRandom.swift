public import ByteCoding

/// Random numbers from a seed: SplitMix64 [1]. The same seed yields the same numbers on every
/// machine.
///
/// [1] Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
public struct WorkloadRandom: Sendable {
    @usableFromInline package static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    @usableFromInline package var state: UInt64

    /// - Parameter stream: separates streams that share a seed. It is mixed in, because states that
    ///   are a few steps apart would yield the same numbers, a few draws later.
    @inlinable
    package init(seed: UInt64, stream: UInt64 = 0) {
        state = StableHash.mix(seed &+ Self.step) &+ StableHash.mix(stream ^ 0x6A09_E667_F3BC_C908)
    }

    /// 64 random bits.
    @inlinable
    package mutating func word() -> UInt64 {
        state &+= Self.step
        return StableHash.mix(state)
    }

    /// A number in 0 ..< 1, in steps of 2⁻⁵³.
    @inlinable
    package mutating func unit() -> Double { Double(word() >> 11) * 0x1p-53 }

    /// A number in 0 ..< `count`. `count` is above 0.
    ///
    /// The probabilities of the numbers differ by less than `count` ÷ 2⁶⁴.
    @inlinable
    package mutating func below(_ count: Int) -> Int {
        Int(truncatingIfNeeded: word().multipliedFullWidth(by: UInt64(count)).high)
    }
}
