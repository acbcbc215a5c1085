public import ByteCoding

/// Computes the size that belongs to a key: the same in every run and on every machine.
public struct SizeSampler: Sendable {
    /// What the size is for: the lengths of a key and of its value are independent.
    package enum Purpose: UInt64, Sendable { case key = 0x243F_6A88, value = 0x1319_8A2E }

    @usableFromInline package let salt: UInt64
    @usableFromInline package let choice: WeightedChoice
    @usableFromInline package let ranges: [ClosedRange<Int>]
    /// The size, if there is only one.
    @usableFromInline package let fixed: Int?

    package init(_ distribution: SizeDistribution, of purpose: Purpose) {
        salt = StableHash.mix(purpose.rawValue)
        choice = WeightedChoice(distribution.parts.map(\.weight))
        ranges = distribution.parts.map(\.bytes)
        let only = distribution.bytesMin
        fixed = only == distribution.bytesMax ? only : nil
    }

    /// The size, in bytes, for the key of that number.
    @inlinable
    package func bytes(for key: Int) -> Int {
        if let fixed { return fixed }
        let first = StableHash.mix(UInt64(truncatingIfNeeded: key) ^ salt)
        let range = ranges[choice.index(first)]
        let span = UInt64(range.upperBound &- range.lowerBound) &+ 1
        // Another random word: the first one has already chosen this part.
        let second = StableHash.mix(first ^ salt)
        return range.lowerBound &+ Int(second.multipliedFullWidth(by: span).high)
    }
}
