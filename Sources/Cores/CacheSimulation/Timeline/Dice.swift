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

/// The generators of what a part of the seeds has: a seed without it has the same course as a
/// simulation that does not know it.
///
/// The salts were chosen so that named seeds, and the seeds that detect a missing guard, keep
/// their course.
struct SeparateDice {
    /// Disk tiers and their faults, and how their file systems run short of space.
    var tiers: Dice
    var space: Dice
    /// Nodes that load values themselves.
    var origin: Dice
    /// Clients that prefetch.
    var prefetching: Dice
    /// Nodes that copy entries from each other.
    var copying: Dice
    /// A node that leaves the configuration and comes back.
    var members: Dice
    /// A different lease at each start of the publisher.
    var leases: Dice
    /// The table of the runs of nodes, which a publisher may fail to write.
    var lives: Dice
    /// Several publishers, and their store.
    var shared: Dice
    var slots: Dice
    /// Nodes that join without being listed.
    var joins: Dice
    /// Nodes that are told to leave.
    var leaves: Dice

    init(seed: UInt64) {
        let spread = seed &* 0x9E37_79B9_7F4A_7C15
        tiers = Dice(seed: spread ^ 79_608_713)
        space = Dice(seed: spread ^ 0x5D1E_0A73_C5B2_9F41)
        origin = Dice(seed: spread ^ 6_353_928_224)
        prefetching = Dice(seed: spread ^ 2_636)
        copying = Dice(seed: spread ^ 12_607)
        members = Dice(seed: seed &* 0xD1B5_4A32_D192_ED03 ^ 1)
        leases = Dice(seed: seed &* 0xA24B_AED4_963E_E407 ^ 2)
        lives = Dice(seed: ~seed)
        shared = Dice(seed: spread ^ 0x2E7C_D37A_91F0_4B65)
        slots = Dice(seed: spread ^ 0x6B3A_5D0F_C2E9_8471)
        joins = Dice(seed: spread ^ 0x19F4_E6D2_07AB_3C85)
        leaves = Dice(seed: spread ^ 0x74C2_91EB_5D38_A06F)
    }
}
