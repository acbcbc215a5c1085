import CacheModel
import TestSupport

@testable import CacheDisk

/// Tiers that were written by chance, with what is true of them, and what a start makes of their
/// files once they are damaged.
struct TierFuzzing {
    /// Segments of several pages, so that pages are swapped within them too.
    static let geometry: DiskGeometry = {
        let geometry = DiskGeometry(
            checkpointBytes: 4_096, tailBytes: 4_096 + 8 * 1_024, segmentBytes: 16_384,
            segmentCount: 5)
        guard let geometry else { preconditionFailure("a file can have these sizes") }
        return geometry
    }()
    static let keyCount = 60
    static let checkpoint: Checkpoint = {
        var floors = LastingFloors(seed: 0xABCD, bytesMax: 4_096 - Checkpoint.headBytes)
        floors.raise(Scope(.everything), .soft, to: 3)
        floors.raise(Scope(.namespace(.default), hashRange: 1...2), .hard, to: 12)
        for (number, name) in ["a", "b", "images"].enumerated() {
            guard let name = Namespace(name), let tag = Tag("news") else { continue }
            floors.raise(Scope(.tag(tag, in: name)), .hard, to: UInt64(20 + number))
            floors.raise(Scope(.namespace(name)), .hard, to: UInt64(30 + number))
            floors.raise(Scope(.prefix([0x78], in: name)), .soft, to: UInt64(31 + number))
        }
        return Checkpoint(
            log: LogID(7), mark: DiskBench.checkpoint.mark, floors: floors.encoded())
    }()

    /// Of a value: one in twelve is longer than a record.
    static func length(_ dice: inout SeededGenerator) -> Int {
        dice.below(12) == 0 ? 1_000 + dice.below(4_000) : dice.below(300)
    }

    static func key(_ number: Int) -> String { "key \(number)" }

    /// A file as a process left it that was killed, or ended in order.
    struct Written {
        var image: [UInt8] = []
        var truth: [String: String] = [:]

        init(seed: UInt64) {
            var dice = SeededGenerator(seed: seed)
            var bench = DiskBench(TierFuzzing.geometry)
            let count = [60, 300, 900, 2_000][dice.below(4)]
            for step in 0..<count {
                act(step, on: &bench, &dice)
                for _ in 0..<dice.below(3) { _ = bench.step() }
                if dice.below(3) == 0 { bench.tier.tick() }
            }
            switch dice.below(4) {
            case 0: bench.settle()
            case 1:
                bench.settle()
                bench.tier.now = TierTime(milliseconds: 500)
                bench.tier.close(TierFuzzing.checkpoint, calendar: 2_000_000)
                bench.settle()
            default: break
            }
            image = bench.image
        }

        private mutating func act(
            _ step: Int, on bench: inout DiskBench, _ dice: inout SeededGenerator
        ) {
            let key = TierFuzzing.key(dice.below(TierFuzzing.keyCount))
            switch dice.below(20) {
            case 0...3:
                bench.remove(key)
                truth[key] = nil
            case 4, 5: _ = bench.get(key)
            case 6: bench.tier.checkpoint(TierFuzzing.checkpoint)
            case 7 where dice.below(40) == 0:
                bench.tier.reset()
                truth = [:]
            default:
                let value = "\(step)" + String(repeating: ".", count: TierFuzzing.length(&dice))
                truth[key] = bench.set(key, value) == nil ? value : nil
            }
        }
    }

    /// What became of many files.
    struct Tally {
        var tries = 0
        var right = 0
        var misses = 0
        /// Keys that have no value, and none was answered.
        var absent = 0
        var wrong = 0
        var wholeTiers = 0
        var lostSegments = 0
        var discards: [String: Int] = [:]
        /// Files that an inspection refuses, as there is no tier in them that it could tell of.
        var unfit = 0
        var inspectedDamage = 0

        mutating func noteDiscard(_ cause: String) { discards[cause, default: 0] += 1 }

        var text: String {
            let discarded = discards.values.reduce(0, +)
            // Of a forged first page there are as many sentences as files.
            let causes = discards.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
                .map { "\($0.value) \($0.key)" }
            let named = causes.isEmpty ? "" : " (" + causes.joined(separator: "; ") + ")"
            return "\(tries) tries: \(right) right values, \(misses) misses, \(absent) absent, "
                + "\(wrong) wrong; \(wholeTiers) tiers whole, \(lostSegments) segments lost, "
                + "\(discarded) tiers discarded\(named); "
                + "an inspection found damage in \(inspectedDamage), and could not tell of \(unfit)"
        }
    }
}
