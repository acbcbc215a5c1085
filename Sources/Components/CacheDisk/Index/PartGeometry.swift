import ByteCoding

/// Maps a fingerprint to its two buckets in a part, and a slot back to its fingerprint.
///
/// A part has `n` buckets and distinguishes fingerprints by their lower 26 bits, `h`:
///
///     first  = h · n / 2^26                                        rounded down
///     second = first + 1 + (mix(lower 22 bits of h) · (n − 1)) / 2^32   around the end of n
///
/// So `second` is never `first`, and as the 22 bits are in the slot, either determines the other.
///
/// **The slot and its bucket determine h.** Bucket `b` is the first one of exactly those h with
/// `b · 2^26 ≤ h · n < (b + 1) · 2^26`: the integers in an interval that is closed at its lower
/// end, open at its upper one, and 2^26 / n long. With n ≥ 16 that is at most 2^22 long, and such
/// an interval contains at most 2^22 consecutive integers. No two of them have the same lower 22
/// bits. The matching one is the first at or above the start of the interval.
struct PartGeometry {
    static let hashBits: UInt64 = 26
    static let hashMask: UInt64 = 1 << hashBits - 1
    static let bucketsMin: UInt64 = 16

    let bucketCount: UInt64

    /// - Precondition: there are 16 buckets or more.
    @inline(__always)
    init(bucketCount: Int) {
        self.bucketCount = UInt64(truncatingIfNeeded: bucketCount)
        precondition(
            self.bucketCount >= Self.bucketsMin, "22 bits and fewer buckets are no fingerprint")
    }

    @inline(__always)
    func first(of hash: UInt64) -> UInt64 { (hash &* bucketCount) &>> Self.hashBits }

    @inline(__always)
    func second(of fingerprintLow: UInt64, first: UInt64) -> UInt64 {
        second(first: first, Self.spread(fingerprintLow))
    }

    @inline(__always)
    func first(of fingerprintLow: UInt64, second: UInt64) -> UInt64 {
        first(second: second, Self.spread(fingerprintLow))
    }

    /// - Parameter spread: the result of ``spread(_:)`` for the 22 bits.
    @inline(__always)
    func second(first: UInt64, _ spread: UInt64) -> UInt64 {
        let sum = first &+ step(spread)
        return sum < bucketCount ? sum : sum &- bucketCount
    }

    /// The inverse of ``second(first:_:)``.
    @inline(__always)
    func first(second: UInt64, _ spread: UInt64) -> UInt64 {
        let step = step(spread)
        return second >= step ? second &- step : second &+ bucketCount &- step
    }

    /// The other bucket of the entry of a slot in bucket `number`.
    @inline(__always)
    func other(_ slot: IndexSlot, in number: UInt64) -> UInt64 {
        let spread = Self.spread(slot.fingerprintLow)
        return slot.isSecond ? first(second: number, spread) : second(first: number, spread)
    }

    /// 1 to n − 1.
    @inline(__always)
    private func step(_ spread: UInt64) -> UInt64 {
        1 &+ (spread &* (bucketCount &- 1)) &>> 32
    }

    /// 32 evenly distributed bits derived from the 22.
    @inline(__always)
    static func spread(_ fingerprintLow: UInt64) -> UInt64 {
        StableHash.mix(fingerprintLow &+ 1) &>> 32
    }

    /// The least hash with this first bucket.
    func beginning(of first: UInt64) -> UInt64 {
        (first << Self.hashBits + bucketCount - 1) / bucketCount
    }

    /// The hash with these lower 22 bits among those with this first bucket.
    func hash(of fingerprintLow: UInt64, first: UInt64) -> UInt64 {
        Self.hash(of: fingerprintLow, from: beginning(of: first))
    }

    /// The least hash from `beginning` on with these lower 22 bits.
    @inline(__always)
    static func hash(of fingerprintLow: UInt64, from beginning: UInt64) -> UInt64 {
        beginning &+ (fingerprintLow &- beginning) & IndexSlot.fingerprintMask
    }
}
