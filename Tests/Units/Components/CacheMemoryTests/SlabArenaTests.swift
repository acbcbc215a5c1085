import Testing
import TestSupport

@testable import CacheMemory

@Suite struct SlabArenaTests {
    @Test func classesAscendAndWasteAnEighthAtMost() {
        for largest in [16 << 10, 32 << 10, 64 << 10] {
            let classes = SizeClasses(largest: largest, pageBytes: 4_096)
            #expect(
                classes.bytes == classes.bytes.sorted()
                    && Set(classes.bytes).count == classes.bytes.count)
            #expect(classes.bytes.last == largest)
            for bytes in 1...largest {
                guard let found = classes.find(bytes) else {
                    Issue.record("\(bytes) bytes have no class")
                    continue
                }
                let slot = classes.bytes[found]
                #expect(slot >= bytes && (found == 0 || classes.bytes[found - 1] < bytes))
                #expect(slot % 8 == 0)
                if bytes > 64, slot < classes.pagedBytesMin {
                    #expect(slot - bytes <= bytes / 8 + 8)
                }
                if slot >= classes.pagedBytesMin { #expect(slot % 4_096 == 0) }
            }
            #expect(classes.find(largest + 1) == nil)
        }
    }

    @Test func slotsOfOneClassDoNotOverlapAndAreUsedAgain() {
        var arena = SlabArena(budgetBytes: 1 << 20)
        var taken: Set<EntryReference> = []
        for _ in 0..<3_000 { taken.insert(arena.take(100, mayGrow: true) ?? .none) }
        #expect(taken.count == 3_000 && !taken.contains(.none))
        let starts = taken.map { Int($0.rawValue) * 8 }.sorted()
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= 104 })
        let used = arena.usedBytes
        for reference in taken.prefix(1_000) { arena.give(reference, 100) }
        for _ in 0..<900 { #expect(arena.take(100, mayGrow: false) != nil) }
        #expect(arena.usedBytes <= used)
        #expect(arena.take(500, mayGrow: false) == nil)
    }

    @Test func whatIsGivenBackIsChargedNoMore() {
        var arena = SlabArena(budgetBytes: 16 << 20)
        let sizes = [40, 100, 1_000, 9_000, 20_000, 60_000, 300_000, 5_000_000]
        let taken = sizes.flatMap { size in
            (0..<10).map { _ in (arena.take(size, mayGrow: true) ?? .none, size) }
        }
        #expect(arena.liveBytes >= 10 * sizes.reduce(0, +))
        #expect(arena.usedBytes == arena.liveBytes)
        for (reference, size) in taken { arena.give(reference, size) }
        #expect(arena.usedBytes == 0 && arena.liveBytes == 0)
    }

    @Test(arguments: UInt64(1)...10)
    func compactingSlabsLeavesFewHolesAndLosesNoEntry(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var arena = SlabArena(budgetBytes: 1 << 20)
        var live: [EntryReference: (bytes: Int, mark: UInt64)] = [:]
        for step in 0..<6_000 {
            let bytes = 48 + dice.below(4) * 200
            guard let reference = arena.take(bytes, mayGrow: true) else { continue }
            let mark = dice.next()
            arena.space.entry(reference).base.storeBytes(of: mark, as: UInt64.self)
            live[reference] = (bytes, mark)
            guard step % 3 != 0, let victim = live.keys.randomElement(using: &dice) else {
                continue
            }
            arena.give(victim, live.removeValue(forKey: victim)?.bytes ?? 0)
        }
        for victim in live.keys.sorted(by: { $0.rawValue < $1.rawValue }) where !dice.chance(3) {
            arena.give(victim, live.removeValue(forKey: victim)?.bytes ?? 0)
        }
        let before = arena.holeBytes
        while let move = arena.planMove() {
            guard let held = live.removeValue(forKey: move.from) else {
                Issue.record("a slot was moved that nobody holds")
                return
            }
            arena.space.entry(move.to).base.copyMemory(
                from: arena.space.entry(move.from).base, byteCount: held.bytes)
            arena.give(move.from, held.bytes)
            #expect(live.updateValue(held, forKey: move.to) == nil)
        }
        #expect(arena.holeBytes * 20 < before, "\(arena.holeBytes) of \(before) are left")
        for (reference, held) in live {
            #expect(arena.space.entry(reference).base.load(as: UInt64.self) == held.mark)
        }
        for (reference, held) in live { arena.give(reference, held.bytes) }
        #expect(arena.usedBytes == 0)
    }
}

@Suite struct BuddySpaceTests {
    @Test(arguments: UInt64(1)...20)
    func runsNeverOverlapAndJoinAgain(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var space = BuddySpace(orders: 9)
        var owner = [Int](repeating: -1, count: space.slabCount)
        var taken: [(first: Int, order: Int)] = []
        for step in 0..<4_000 {
            let order = dice.below(5)
            if dice.chance(2), let first = space.take(order: order) {
                #expect(first % (1 << order) == 0)
                for slab in first..<first + 1 << order {
                    #expect(owner[slab] == -1)
                    owner[slab] = step
                }
                taken.append((first, order))
            } else if !taken.isEmpty {
                let run = taken.remove(at: dice.below(taken.count))
                for slab in run.first..<run.first + 1 << run.order { owner[slab] = -1 }
                space.give(run.first, order: run.order)
            }
            #expect(space.usedCount == taken.reduce(0) { $0 + 1 << $1.order })
        }
        for run in taken { space.give(run.first, order: run.order) }
        #expect(space.take(order: 8) == 0)
        #expect(space.take(order: 0) == nil)
    }
}
