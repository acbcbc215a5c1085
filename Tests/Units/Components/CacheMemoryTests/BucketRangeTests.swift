import Testing

@testable import CacheMemory

@Suite struct BucketRangeTests {
    #if os(Linux)
        @Test func memoryBehindTheEndIsGivenBack() {
            var buckets = BucketRange(bucketsMax: 200_000)
            for number in 0..<150_000 {
                _ = buckets.append()
                buckets.bucket(number).overflow = 7
            }
            while buckets.count > 10_000 { buckets.removeLast() }
            // What was given back reads as zero.
            let kept = (0..<150_000).filter { buckets.bucket($0).overflow == 7 }
            #expect(kept.count < 10_000 + 2 * (4 << 20) / EntryIndex.bucketBytes)
            #expect(kept.prefix(10_000) == Array(0..<10_000).prefix(10_000))
            while buckets.count < 150_000 { _ = buckets.append() }
            #expect((10_000..<150_000).allSatisfy { buckets.bucket($0).overflow == 0 })
        }
    #endif
}
