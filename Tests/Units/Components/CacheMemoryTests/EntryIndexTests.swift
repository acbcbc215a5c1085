import ByteCoding
import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

/// An index and the entries in it, by number.
private struct IndexStage: ~Copyable {
    var arena = SlabArena(budgetBytes: 8 << 20)
    var index: EntryIndex
    let hasher = EntryHasher(hasher: KeyHasher(seed: 11))
    private(set) var entries: [Int: Entry] = [:]

    init() {
        index = EntryIndex(space: arena.space, hasher: hasher, entriesMax: 100_000)
    }

    mutating func insert(_ number: Int) {
        let entry = make(number)
        index.insert(entry, hasher.hash(entry))
        entries[number] = entry
    }

    mutating func remove(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        index.remove(entry)
        arena.give(arena.space.reference(entry), entry.blockBytes)
    }

    private mutating func make(_ number: Int) -> Entry {
        let offer = Offer(key: "key \(number)")
        return offer.withCandidate(hash: KeyHash(0)) { candidate in
            guard let reference = arena.take(candidate.blockBytes, mayGrow: true) else {
                preconditionFailure("the arena has room for the test")
            }
            let entry = arena.space.entry(reference)
            entry.write(
                candidate, tagIDs: UnsafeBufferPointer(start: nil, count: 0), now: at(1),
                identity: 1)
            return entry
        }
    }

    func find(_ number: Int) -> Entry? {
        withBytes("key \(number)") { key in
            let hash = hasher.hash(key, in: room)
            return index.find(hash, namespace: room, key: key)
        }
    }

    func isWhole() -> Bool {
        index.count == entries.count && entries.allSatisfy { find($0.key) == $0.value }
    }

    /// The buckets that a cursor visits, from the first to the last.
    func visited() -> [Int] {
        var numbers: [Int] = []
        var cursor: UInt64? = 0
        while let position = cursor {
            numbers.append(index.homeNumber(at: position))
            cursor = index.cursor(after: position)
        }
        return numbers
    }
}

@Suite struct EntryIndexTests {
    /// Two whole doublings and back, in three orders of leaving.
    @Test(arguments: ["first in, first out", "last in, first out", "at random"])
    func everyEntryIsFoundAtEverySize(order: String) {
        var stage = IndexStage()
        let count = 3_000
        let least = stage.index.bucketCount
        for number in 0..<count {
            stage.insert(number)
            let isFound = stage.find(number) != nil
            #expect(isFound)
            if number % 61 == 0 {
                let isWhole = stage.isWhole()
                #expect(isWhole, "after \(number)")
            }
        }
        #expect(stage.index.bucketCount > 4 * least)
        var leaving = Array(0..<count)
        if order == "last in, first out" { leaving.reverse() }
        var dice = SeededGenerator(seed: 4)
        if order == "at random" { leaving.shuffle(using: &dice) }
        for (step, number) in leaving.enumerated() {
            stage.remove(number)
            let isFound = stage.find(number) != nil
            #expect(!isFound)
            if step % 61 == 0 {
                let isWhole = stage.isWhole()
                #expect(isWhole, "after \(step) have left")
            }
        }
        #expect(stage.index.bucketCount == least)
    }

    @Test func aCursorVisitsEveryBucketOnceAtEverySize() {
        var stage = IndexStage()
        var sizes: Set<Int> = []
        for number in 0..<3_000 {
            stage.insert(number)
            guard sizes.insert(stage.index.bucketCount).inserted else { continue }
            let visited = stage.visited()
            #expect(visited.sorted() == Array(0..<stage.index.bucketCount))
        }
        #expect(sizes.count > 200)
    }

    /// What lies before a cursor stays before it, whatever the index does meanwhile.
    @Test func nothingCrossesACursorWhileTheIndexGrowsAndShrinks() {
        var stage = IndexStage()
        for number in 0..<1_000 { stage.insert(number) }
        for cursor in [UInt64(1) << 60, 1 << 63, 0xF000_0000_0000_0000] {
            let before = Set(
                stage.entries.filter { stage.index.isBefore($0.value, cursor: cursor) }.keys)
            for number in 1_000..<2_500 { stage.insert(number) }
            for number in 1_000..<2_500 { stage.remove(number) }
            let after = Set(
                stage.entries.filter { stage.index.isBefore($0.value, cursor: cursor) }.keys)
            #expect(before == after && !before.isEmpty)
        }
    }

    /// No insert touches more than one bucket and two overflows of memory.
    @Test func theIndexGrowsByABucketAtATime() {
        var stage = IndexStage()
        for number in 0..<3_000 {
            let bytes = stage.index.memoryBytes
            stage.insert(number)
            let grown = stage.index.memoryBytes - bytes
            #expect((0...EntryIndex.growthBytesMax).contains(grown))
        }
    }
}
