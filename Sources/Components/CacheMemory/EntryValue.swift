/// The value of an entry per byte of memory: a class of half octaves, lower is more valuable.
///
///     class = ⌊2 · log2(weight)⌋ + 6 − rank           0 … 69
///     value = ⌊2^(44 − class ÷ 2)⌋ to thirty bits     added to the level of its bank
///
/// Entries of one class are worth the same, so FIFO is their order of priority.
enum EntryValue {
    static let classCount = 70
    static let rankMax: UInt32 = 6

    /// - Parameter weight: capped at 2^32 − 1.
    static func `class`(weight: Int, rank: UInt32) -> Int {
        let size = UInt32(clamping: max(weight, 1))
        let octave = 31 - size.leadingZeroBitCount
        let mantissa = size << UInt32(31 - octave)
        // √2 with 31 fractional bits.
        return 2 * octave + (mantissa >= 0xB504_F334 ? 1 : 0) + Int(rankMax - rank)
    }

    static let values: [UInt64] = (0..<classCount).map { number in
        let mantissa: UInt64 = number % 2 == 1 ? 0x5A82_7999 : 1 << 30
        let shift = 14 - (number + 1) / 2
        return shift >= 0 ? mantissa << UInt64(shift) : mantissa >> UInt64(-shift)
    }

    /// The rank after another round: three quarters of the weight that it stands for, and the hits,
    /// in half octaves and at most eight.
    static func rank(after rank: UInt32, hits: UInt64) -> UInt32 {
        UInt32(ranks[Int(rank)][Int(hits)])
    }

    private static let ranks: [[UInt8]] = [
        [0, 2, 3, 4], [0, 2, 3, 4], [1, 3, 4, 4], [2, 3, 4, 5], [3, 4, 5, 5], [4, 5, 5, 6],
        [5, 6, 6, 6],
    ]
}
