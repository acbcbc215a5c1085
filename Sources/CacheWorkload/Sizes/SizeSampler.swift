public import ByteCoding

/// Tells the size that belongs to a key: always the same one, in every run and on every machine.
public struct SizeSampler: Sendable {
    /// What a size is of: a key's own length says nothing about its value's.
    package enum Purpose: UInt64, Sendable { case key = 0x243F_6A88, value = 0x1319_8A2E }

    @usableFromInline package let salt: UInt64
    @usableFromInline package let choice: WeightedChoice
    @usableFromInline package let ranges: [ClosedRange<Int>]
    /// The size, if there is but one.
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
        // Another word: the first one has been narrowed to those that choose this part.
        let second = StableHash.mix(first ^ salt)
        return range.lowerBound &+ Int(second.multipliedFullWidth(by: span).high)
    }
}
