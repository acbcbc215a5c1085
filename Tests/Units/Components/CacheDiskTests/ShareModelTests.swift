import CacheModel
import Testing
import TestSupport

@testable import CacheDisk

/// Random operations on a tier with bounded namespaces, held against what lies in its file.
@Suite struct ShareModelTests {
    private static let names = ["", "closed", "some"]
    private static let keyCount = 25

    /// A tier, and what is true of it.
    private struct Model: ~Copyable {
        var bench = DiskBench(DiskCleaningTests.geometry)
        var dice: SeededGenerator
        /// What the disk may show of a key; `nil`: nothing.
        var truth: [String: String] = [:]
        var shares = ["": 100, "closed": 0, "some": 20]
        /// What each namespace may take now: its share, or less and less of what it had when that
        /// was lowered.
        var most: [String: Int] = [:]
        var owners: [Fingerprint: String] = [:]
        var stored = 0
        var declined = 0
        var comparisons = 0
        var moved: UInt64 = 0

        init(seed: UInt64) {
            dice = SeededGenerator(seed: seed)
            for name in ShareModelTests.names {
                for number in 0..<ShareModelTests.keyCount {
                    owners[bench.fingerprint("key \(number)", in: name)] = name
                }
            }
            setShares()
        }

        /// As a node does that begins, or hears of another configuration.
        private mutating func setShares() {
            for name in ShareModelTests.names {
                let share = shares[name] ?? 100
                bench.setShare(share, of: name)
                let bound = share == 100 ? Int.max : bench.geometry.ringBytes * share / 100
                most[name] = max(bound, bench.promised(name))
            }
        }

        private mutating func change() {
            let name = ShareModelTests.names[dice.below(3)]
            shares[name] = [0, 3, 10, 20, 40, 100][dice.below(6)]
            setShares()
        }

        mutating func act(_ step: Int) {
            let name = ShareModelTests.names[dice.below(3)]
            let key = "key \(dice.below(ShareModelTests.keyCount))"
            switch dice.below(400) {
            case 0: restart()
            case 1..<5: change()
            case 5:
                bench.tier.reset()
                truth = [:]
            case 6..<40:
                bench.remove(key, in: name)
                truth[name + "/" + key] = nil
            case 40..<120: read(key, name)
            default: store("\(step)", key, name)
            }
            for _ in 0..<dice.below(5) { _ = bench.step() }
            if dice.below(3) == 0 { bench.tier.tick() }
            check(step)
        }

        private mutating func store(_ mark: String, _ key: String, _ name: String) {
            let length = dice.below(10) == 0 ? 500 + dice.below(1_200) : dice.below(250)
            let value = mark + String(repeating: ".", count: length)
            let cause = bench.set(key, value, in: name)
            truth[name + "/" + key] = cause == nil ? value : nil
            stored += cause == nil ? 1 : 0
            declined += cause == .overShare ? 1 : 0
        }

        private mutating func read(_ key: String, _ name: String) {
            let found = bench.get(key, in: name)
            let right = truth[name + "/" + key]
            if let found, found != right {
                Issue.record("\(name)/\(key) is \(found.prefix(9)), not \(right ?? "gone")")
            }
        }

        private mutating func restart() {
            moved += bench.tier.statistics.movedRecords
            let image = bench.image
            bench = DiskBench(recovering: image, DiskCleaningTests.geometry)
            bench.settle()
            if bench.unusable == .removalsMissing {
                bench = DiskBench(DiskCleaningTests.geometry)
                truth = [:]
            }
            #expect(bench.tier.state == .open)
            setShares()
        }

        private mutating func check(_ step: Int) {
            for name in ShareModelTests.names {
                let (promised, mostNow) = (bench.promised(name), most[name] ?? 0)
                if promised > mostNow {
                    Issue.record("step \(step): \(name) takes \(promised) of \(mostNow)")
                }
                let bound = (shares[name] ?? 100) * bench.geometry.ringBytes / 100
                if mostNow != .max { most[name] = max(bound, min(mostNow, promised)) }
            }
            guard bench.tier.reclaimer.current == nil, step % 7 == 0 else { return }
            comparisons += 1
            let lying = bench.lying(owners)
            for name in ShareModelTests.names {
                let counted = bench.counted(name)
                if counted != lying[name] ?? 0 {
                    Issue.record("step \(step): \(name) \(counted), not \(lying[name] ?? 0)")
                }
            }
        }
    }

    @Test(arguments: 1...8)
    func noNamespaceExceedsItsShareAndCountsMatchTheDisk(seed: UInt64) {
        var model = Model(seed: seed)
        for step in 0..<1_500 { model.act(step) }
        model.moved += model.bench.tier.statistics.movedRecords
        #expect(model.stored > 200 && model.declined > 100 && model.comparisons > 50)
        #expect(model.moved > 0, "reclaiming has appended records again")
    }
}
