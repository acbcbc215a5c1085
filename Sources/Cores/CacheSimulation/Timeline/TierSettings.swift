import CacheDisk
import CacheModel

/// How the disk tiers of one seed are made. Drawn from a separate generator, so that a seed without
/// disk tiers has the same course as a simulation without this feature.
struct TierSettings {
    /// A few small segments: some rings wrap around, others are never full.
    let geometry: DiskGeometry
    /// Extra bytes of every value.
    let paddingBytes: Int
    /// The duration of a read or a write.
    let workMicroseconds: ClosedRange<Int>
    let openMicroseconds: ClosedRange<Int>
    let checkpointInterval: Duration
    /// Time from a useless file until the next request for one.
    let retryInterval: Duration
    /// How often a shard's memory limit shrinks; `nil`: never.
    let shortageMicroseconds: ClosedRange<Int>?
    /// The duration of faults. The world is quieter and lasts longer: a short run leaves nothing on
    /// disk, and soon invalidated entries are not found there.
    let trouble: Span
    let otherFaultsEveryMicroseconds: ClosedRange<Int>
    let writeEveryMicroseconds: Int
    let readEveryMicroseconds: Int
    let logRecordsMax: Int
    let faults: TierFaults
    let faultEveryMicroseconds: ClosedRange<Int>

    /// How many of a thousand seeds have disk tiers.
    private static let perMille = 350

    /// - Returns: `nil` for a seed without disk tiers.
    init?(_ dice: inout Dice) {
        guard dice.chance(perMille: Self.perMille) else { return nil }
        geometry = Self.geometry(&dice)
        paddingBytes = dice.pick([0, 100, 300, 900, 2_400])
        workMicroseconds = 20...dice.pick([200, 2_000, 40_000])
        openMicroseconds = 100...dice.pick([2_000, 100_000])
        checkpointInterval = .milliseconds(dice.pick([50, 200, 1_000]))
        trouble = .milliseconds(dice.number(in: 2_000...4_000))
        otherFaultsEveryMicroseconds = 20_000...dice.pick([300_000, 1_000_000])
        writeEveryMicroseconds = dice.pick([40_000, 150_000])
        readEveryMicroseconds = dice.pick([3_000, 8_000])
        logRecordsMax = dice.pick([4, 16, 10_000, 10_000])
        retryInterval = .milliseconds(dice.pick([300, 30_000]))
        shortageMicroseconds =
            dice.chance(perMille: 700) ? 1_000...dice.pick([30_000, 150_000]) : nil
        var faults: TierFaults = []
        for kind in TierFaults.each where dice.chance(perMille: 350) { faults.insert(kind) }
        self.faults = faults
        faultEveryMicroseconds = 20_000...dice.pick([150_000, 500_000])
    }

    private static func geometry(_ dice: inout Dice) -> DiskGeometry {
        let page = DiskLimits.pageBytes
        let geometry = DiskGeometry(
            checkpointBytes: page, tailBytes: page + 8 * dice.pick([2_048, page]),
            segmentBytes: dice.pick([page, 2 * page]), segmentCount: dice.pick([3, 4, 8, 12]))
        guard let geometry else { preconditionFailure("a file can have these sizes") }
        return geometry
    }

    /// For a report.
    var text: String {
        """
        disk tiers of \(geometry.segmentCount) segments of \(geometry.segmentBytes) bytes, \
        values \(paddingBytes) bytes longer, work \(workMicroseconds) µs, checkpoints every \
        \(checkpointInterval), memory short \(shortageMicroseconds.map { "\($0) µs" } ?? "never"); \
        faults: \(faults.names.joined(separator: ", "))
        """
    }
}

/// How the file systems of one seed's disk tiers run short of space. Drawn from dice of their own:
/// a seed without shortages has the course that it had before.
struct TierSpaceSettings {
    let rule: DiskSpaceRule
    let everyMicroseconds: ClosedRange<Int>
    /// How many of a thousand seeds with tiers that can shrink have shortages.
    private static let perMille = 600

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
