import CacheModel
import Testing
import TestSupport

@testable import CacheDisk

/// Free space goes up and down while a load stores, replaces and removes, and the tier is killed
/// before every command: what was removed or replaced never comes back.
@Suite struct DiskSpaceCrashTests {
    private static let keys = (0..<40).map { "key \($0)" }
    private static let rule = DiskSpaceTests.rule

    /// A load, what is true of it, and how much space is free.
    private struct Load {
        var dice: SeededGenerator
        var truth: [String: String] = [:]
        var stepNumber = 0
        /// What the next measurements tell.
        var freeBytes = DiskSpaceTests.plenty
        /// Where a tier was killed: in the middle of what.
        var kills: [String: Int] = [:]

        init(seed: UInt64) { dice = SeededGenerator(seed: seed) }

        mutating func act(on bench: inout DiskBench) {
            stepNumber += 1
            bench.tier.now = TierTime(milliseconds: UInt64(stepNumber) * 400)
            let key = "key \(dice.below(40))"
            switch dice.below(10) {
            case 0, 1:
                bench.remove(key)
                truth[key] = nil
            case 2: _ = bench.get(key)
            default:
                let value = "\(stepNumber)" + String(repeating: ".", count: dice.below(380))
                truth[key] = bench.set(key, value) == nil ? value : nil
            }
        }

        /// The space changes now and then, and is measured.
        mutating func measure(_ bench: inout DiskBench) {
            let step = DiskSpaceTests.step
            if dice.below(12) == 0 {
                freeBytes =
                    [
                        0, DiskSpaceTests.leftFree - step * (1 + dice.below(3)),
                        DiskSpaceTests.leftFree, DiskSpaceTests.plenty,
                    ][dice.below(4)]
                bench.reserveFailure = dice.below(4) == 0 ? .noRoom : nil
            }
            bench.tier.noteFreeBytes(freeBytes)
        }

        /// A restart finds what is true, or, where that may be, nothing.
        mutating func judge(_ bench: borrowing DiskBench, mayForget: Bool, _ what: String) {
            note(bench.tier.space.move)
            var next = DiskBench(
                recovering: bench.image, bench.geometry,
                rule: stepNumber % 3 == 0 ? nil : DiskSpaceCrashTests.rule, holes: bench.holes)
            next.settleWithin(what)
            if let cause = next.unusable {
                #expect(mayForget, "\(what): \(cause)")
                return
            }
            for key in DiskSpaceCrashTests.keys {
                let value = next.get(key)
                if value == truth[key] || value == nil && mayForget { continue }
                Issue.record(
                    "\(what): \(key) is \(value ?? "nothing"), not \(truth[key] ?? "nothing")")
            }
        }

        private mutating func note(_ move: TierSpace.Move?) {
            switch move {
            case .withdrawing: kills["withdrawing", default: 0] += 1
            case .reserving: kills["reserving", default: 0] += 1
            case .unmarking: kills["unmarking", default: 0] += 1
            case nil: break
            }
        }

        /// The tier is killed, and another process goes on.
        mutating func restart(_ bench: inout DiskBench, _ what: String) {
            bench = DiskBench(
                recovering: bench.image, bench.geometry, rule: DiskSpaceCrashTests.rule,
                holes: bench.holes)
            bench.settleWithin(what)
            guard bench.unusable == nil else {
                bench = DiskBench(bench.geometry, rule: DiskSpaceCrashTests.rule)
                truth = [:]
                return
            }
            for key in DiskSpaceCrashTests.keys {
                let value = bench.get(key)
                #expect(value == nil || value == truth[key], "\(what): \(key)")
                // What is gone once stays so.
                truth[key] = value
            }
        }
    }

    @Test(arguments: 0..<6)
    func nothingComesBackHoweverSegmentsComeAndGo(seed: UInt64) {
        var bench = DiskBench(DiskSpaceTests.geometry, rule: Self.rule)
        var load = Load(seed: 300 + seed)
        var (withdrawn, restarts) = (0, 0)
        for operation in 0..<1_600 {
            let what = "seed \(seed), operation \(operation)"
            load.act(on: &bench)
            if load.dice.below(3) == 0 { load.measure(&bench) }
            for _ in 0..<load.dice.below(4) where bench.step() {
                if bench.tier.space.move != nil || operation % 16 == 0 {
                    load.judge(bench, mayForget: true, what)
                }
            }
            if load.dice.below(3) == 0 { bench.tier.tick() }
            guard load.dice.below(250) == 0 else { continue }
            withdrawn += Int(bench.tier.statistics.withdrawnSegments)
            load.restart(&bench, what)
            restarts += 1
        }
        withdrawn += Int(bench.tier.statistics.withdrawnSegments)
        #expect(withdrawn > 10 && restarts > 1, "\(withdrawn) withdrawn, \(restarts) restarts")
        #expect(load.kills.count == 3, "\(load.kills)")
    }

    /// A ring that holds little is cleaned, and loses nothing; nor does one that is shrunk.
    @Test(arguments: 0..<4)
    func nothingIsLostWhileTheRingHoldsLittle(seed: UInt64) throws {
        let geometry = try #require(
            DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 4_096 + 8 * 512, segmentBytes: 8_192,
                segmentCount: 24))
        var bench = DiskBench(geometry, rule: Self.rule)
        var load = Load(seed: 500 + seed)
        for operation in 0..<1_600 {
            let what = "seed \(seed), operation \(operation)"
            load.act(on: &bench)
            if bench.tier.log.ring.count > 16 {
                load.measure(&bench)
            } else {
                // A smaller ring would not be cleaned, and forget by right.
                load.freeBytes = DiskSpaceTests.plenty
                bench.reserveFailure = nil
                bench.tier.noteFreeBytes(load.freeBytes)
            }
            repeat {
                if bench.tier.space.move != nil || load.dice.below(40) == 0 {
                    load.judge(bench, mayForget: false, what)
                }
            } while bench.step()
            bench.tier.tick()
            if operation % 4 == 0 { bench.settle() }
        }
        #expect(bench.tier.statistics.withdrawnSegments > 6)
        #expect(bench.tier.log.active.rawValue > 24, "the ring has gone round")
        #expect(load.kills["withdrawing", default: 0] > 0, "\(load.kills)")
    }
}
