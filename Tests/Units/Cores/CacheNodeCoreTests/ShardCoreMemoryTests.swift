import CacheModel
import CacheNodeCore
import CacheWire
import Testing

@Suite struct ShardCoreMemoryTests {
    @Test func aSmallerBudgetEvictsByBoundedSlicesAndIsCounted() {
        var shard = ShardHarness(memoryBytes: 32 << 20)
        let value = String(repeating: "v", count: 4_000)
        for number in 0..<4_000 { _ = shard.only(shard.setFrame("k\(number)", value)) }
        let before = shard.core.memoryInUse
        shard.core.setMemoryBudget(4 << 20)
        let isOver = shard.core.isOverBudget
        #expect(isOver && shard.core.memoryInUse == before)
        var slices = 0
        while shard.core.isOverBudget, slices < 1_000 {
            let inUse = shard.core.memoryInUse
            shard.core.shrink(now: shard.now)
            #expect(inUse - shard.core.memoryInUse <= ShardLimits.shrinkBytesPerSlice + (64 << 10))
            slices += 1
        }
        #expect(slices >= 2 && shard.core.memoryInUse <= 4 << 20)
        #expect(shard.core.statistics.memoryShrinks == 1)
        shard.core.setMemoryBudget(32 << 20)
        #expect(shard.core.memoryBudget == 32 << 20 && shard.core.statistics.memoryShrinks == 1)
    }

    @Test func aBudgetOutsideOfItsSpanIsTheNearestInIt() {
        var shard = ShardHarness(memoryBytes: 8 << 20)
        shard.core.setMemoryBudget(.max)
        #expect(shard.core.memoryBudget == 8 << 20 && shard.core.statistics.memoryShrinks == 0)
        shard.core.setMemoryBudget(.min)
        #expect(shard.core.memoryBudget == 1)
    }
}
