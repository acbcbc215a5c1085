import CacheDisk
import CacheModel

/// How the file systems of one seed's disk tiers run short of space. Drawn from dice of their own:
/// a seed without shortages has the course that it had before.
struct TierSpaceSettings {
    let rule: DiskSpaceRule
    let everyMicroseconds: ClosedRange<Int>
    /// How many of a thousand seeds with tiers that can shrink have shortages.
    private static let perMille = 600
    private static let salt: UInt64 = 0x5D1E_0A73_C5B2_9F41

    static func dice(of seed: UInt64) -> Dice {
        Dice(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ salt)
    }

    /// - Returns: `nil` where segments give nothing back, or no shortage is to come.
    init?(_ dice: inout Dice, _ geometry: DiskGeometry, shardCount: Int) {
        guard geometry.releasable(0).count > 0, geometry.segmentCount > geometry.segmentCountMin,
            dice.chance(perMille: Self.perMille)
        else { return nil }
        rule = DiskSpaceRule(leftFreeBytes: 1 << 20, shardCount: shardCount)
        everyMicroseconds = 20_000...dice.pick([200_000, 900_000])
    }

    /// How much is free next: nothing, a little too little, just enough, or plenty.
    func freeBytes(_ dice: inout Dice) -> Int {
        let limit = rule.leftFreeBytes
        return dice.pick([0, limit - 1 - dice.below(60_000), limit, 2 * limit, 2 * limit])
    }

    var plentyBytes: Int { 2 * rule.leftFreeBytes }
}
