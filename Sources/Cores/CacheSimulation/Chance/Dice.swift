/// The only source of randomness: SplitMix64, so that a seed gives the same run on every machine.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0xD129_0B26_9A1F_3C47 ^ 0x5851_F42D_4C95_7F2D
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from 0 to `count` - 1.
    mutating func below(_ count: Int) -> Int {
        Int(next() % UInt64(count))
    }

    /// A number of the range, uniformly distributed.
    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    mutating func chance(perMille: Int) -> Bool {
        below(1_000) < perMille
    }

    mutating func pick<Element>(_ items: [Element]) -> Element {
        items[below(items.count)]
    }

    /// A span of the range, mostly a short one: the cube of a uniform number.
    mutating func span(microseconds range: ClosedRange<Int>) -> Span {
        let part = below(1_000)
        let width = range.upperBound - range.lowerBound
        let cube = width / 1_000 * (part * part / 1_000 * part / 1_000) + below(1_000)
        return Span(nanoseconds: UInt64(range.lowerBound + min(cube, width)) * 1_000)
    }
}
