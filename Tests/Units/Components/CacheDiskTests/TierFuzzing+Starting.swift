import CacheModel
import Foundation
import Testing
import TestSupport

@testable import CacheDisk

extension TierFuzzing {
    static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

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
            tier.tick()
            if queue.isEmpty, !tier.hasDueWork { return }
        }
        Issue.record("\(what): it never ends")
    }
}
