import CacheModel
import Foundation
import Testing

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

    static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

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
                if dice.below(3) == 0 { bench.tier.tick(into: &bench.queue, news: &bench.news) }
            }
            switch dice.below(4) {
            case 0: bench.settle()
            case 1:
                bench.settle()
                bench.tier.now = TierTime(milliseconds: 500)
                bench.tier.close(TierFuzzing.checkpoint, calendar: 2_000_000, into: &bench.queue)
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
            case 6: bench.tier.checkpoint(TierFuzzing.checkpoint, into: &bench.queue)
            case 7 where dice.below(40) == 0:
                bench.tier.reset(into: &bench.queue)
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

extension TierFuzzing {
    /// Starts with a file as a node does, and reads every key.
    ///
    /// - Parameter truth: what each key's value is; `nil` where the file was forged and may say
    ///   anything.
    static func start(
        with image: [UInt8], _ truth: [String: String]?, _ what: String, into tally: inout Tally,
        _ dice: inout SeededGenerator
    ) {
        tally.tries += 1
        inspect(image, what, into: &tally)
        let whole = DiskBench.superblock(geometry)
        let owner = TierOwner(
            node: whole.node, shard: 0, of: 1, machine: DiskBench.machine, geometry: geometry)
        let head = Array(image.prefix(DiskLimits.pageBytes))
        switch DiskOpening.judge(head, for: owner) {
        case .anew(let cause): return tally.noteDiscard("\(cause)")
        case .resume(let superblock) where superblock.tier != whole.tier:
            return tally.noteDiscard("another tier's")
        case .resume: break
        }
        var bench = DiskBench(recovering: image, geometry)
        bench.settleWithin(what)
        if let cause = bench.unusable { return tally.noteDiscard("\(cause)") }
        let isOpen = bench.tier.state == .open
        #expect(isOpen, "\(what): \(bench.tier.state)")
        guard isOpen, let recovered = bench.recovered else { return }
        tally.lostSegments += recovered.damageCount
        read(&bench, truth, what, into: &tally)
        if dice.below(8) == 0 { goOn(with: &bench, truth, what, &dice) }
    }

    private static func read(
        _ bench: inout DiskBench, _ truth: [String: String]?, _ what: String,
        into tally: inout Tally
    ) {
        let missesBefore = tally.misses
        for number in 0..<keyCount {
            let value = bench.get(key(number))
            guard let truth else { continue }
            let right = truth[key(number)]
            if value == nil {
                if right == nil { tally.absent += 1 } else { tally.misses += 1 }
            } else if value == right {
                tally.right += 1
            } else {
                tally.wrong += 1
                Issue.record("\(what): \(key(number)) is \(value ?? "?"), not \(right ?? "gone")")
            }
        }
        if truth != nil, tally.misses == missesBefore { tally.wholeTiers += 1 }
    }

    /// The ring goes round over what was damaged, and the next start finds what was written.
    private static func goOn(
        with bench: inout DiskBench, _ truth: [String: String]?, _ what: String,
        _ dice: inout SeededGenerator
    ) {
        var written: [String: String] = [:]
        for step in 0..<250 {
            let key = key(dice.below(keyCount))
            let value = "later \(step)" + String(repeating: "-", count: length(&dice))
            written[key] = bench.set(key, value) == nil ? value : nil
            if dice.below(3) == 0 { _ = bench.get(self.key(dice.below(keyCount))) }
            bench.settleWithin(what)
        }
        var next = DiskBench(recovering: bench.image, geometry)
        next.settleWithin(what)
        #expect(next.tier.state == .open, "\(what), and went on: \(next.tier.state)")
        guard truth != nil, next.tier.state == .open else { return }
        for (key, value) in written {
            let found = next.get(key)
            #expect(found == nil || found == value, "\(what), and went on: \(key)")
        }
    }

    private static func inspect(_ image: [UInt8], _ what: String, into tally: inout Tally) {
        do throws(InspectionFailure) {
            let found = try InspectionBench().inspect(image)
            if found.facts.damageCount > 0 { tally.inspectedDamage += 1 }
            #expect(found.records.count < image.count, "\(what)")
        } catch {
            tally.unfit += 1
            #expect(!error.description.isEmpty, "\(what)")
        }
    }
}

extension DiskBench {
    /// Settles; says so if that does not end.
    mutating func settleWithin(_ what: String) {
        for _ in 0..<100_000 {
            while step() {}
            tier.tick(into: &queue, news: &news)
            if queue.isEmpty, !tier.hasDueWork { return }
        }
        Issue.record("\(what): it never ends")
    }
}
