import CacheModel
import Testing
import TestSupport

@testable import CacheDisk

/// Files with anything in them: a start reads right values or misses, and never ends the program.
///
///     MARTLET_TRIES=10000 swift test --filter TierFuzzTests    so many files instead of the usual
///     MARTLET_SEED=123 swift test --filter TierFuzzTests       the file of one seed
@Suite(.serialized) struct TierFuzzTests {
    enum Damage: String, CaseIterable {
        case bit, byte, run, zeros, swap

        func apply(to image: inout [UInt8], _ dice: inout SeededGenerator) {
            let place = dice.below(image.count)
            switch self {
            case .bit: image[place] ^= UInt8(1 << dice.below(8))
            case .byte: image[place] ^= UInt8(1 + dice.below(255))
            case .run:
                for place in place..<min(image.count, place + 1 + dice.below(200)) {
                    image[place] = UInt8(dice.below(256))
                }
            case .zeros:
                let from = place / 512 * 512
                image.replaceSubrange(from..<from + 512, with: repeatElement(0, count: 512))
            case .swap:
                let page = DiskLimits.pageBytes
                let (from, to) = (place / page * page, dice.below(image.count) / page * page)
                for offset in 0..<page { image.swapAt(from + offset, to + offset) }
            }
        }
    }

    /// Each written tier is damaged so many times.
    private static let triesPerTier = 50

    private static let usualCount = 250

    private static var seeds: ClosedRange<Int> {
        if let seed = TierFuzzing.number("MARTLET_SEED") { return seed...seed }
        return 1...max(1, TierFuzzing.number("MARTLET_TRIES") ?? usualCount)
    }

    private static func tryAll(
        _ title: String,
        _ body: (TierFuzzing.Written, Int, inout TierFuzzing.Tally, inout SeededGenerator) -> Void
    ) -> TierFuzzing.Tally {
        var tally = TierFuzzing.Tally()
        var written: (number: Int, tier: TierFuzzing.Written)?
        for seed in seeds {
            // What ends the program ends it behind this line.
            if seed % 1_000 == 1 { print("\(title): from seed \(seed)") }
            let number = seed / triesPerTier
            let tier: TierFuzzing.Written
            if let written, written.number == number {
                tier = written.tier
            } else {
                tier = TierFuzzing.Written(seed: UInt64(number))
                written = (number, tier)
            }
            var dice = SeededGenerator(seed: UInt64(seed) << 8)
            body(tier, seed, &tally, &dice)
        }
        print("\(title): \(tally.text)")
        return tally
    }

    @Test func whateverIsDamagedEveryAnswerIsRightOrAMiss() {
        let tally = Self.tryAll("damaged tiers") { written, seed, tally, dice in
            let damage = Damage.allCases[seed % Damage.allCases.count]
            var image = written.image
            damage.apply(to: &image, &dice)
            TierFuzzing.start(
                with: image, written.truth, "seed \(seed), \(damage)", into: &tally, &dice)
        }
        #expect(tally.wrong == 0)
        guard tally.tries >= Self.usualCount else { return }
        #expect(tally.misses > 0 && tally.right > tally.misses && !tally.discards.isEmpty)
    }

    @Test func whatProvesItselfAndCannotBeNeverEndsTheProgram() {
        let tally = Self.tryAll("forged tiers") { written, seed, tally, dice in
            var forge = TierForge(written.image, DiskBench.superblock(TierFuzzing.geometry))
            for _ in 0...dice.below(3) { forge.change(&dice) }
            TierFuzzing.start(with: forge.image, nil, "seed \(seed)", into: &tally, &dice)
        }
        guard tally.tries >= Self.usualCount else { return }
        #expect(tally.discards.count > 2 && tally.lostSegments > 0)
    }
}
