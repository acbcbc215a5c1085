import Testing
import TestSupport

@testable import CacheDisk

@Suite struct PartGeometryTests {
    private static let low = IndexSlot.fingerprintMask

    /// Every bucket of every part of 16 to 300 buckets: that the hashes of a bucket lie in a row,
    /// are at most 2^22 and begin where the bucket before ended, means that the 22 bits tell them
    /// apart; so the ends of the row stand for all that lies between.
    @Test func aBucketCoversAtMost2To22ConsecutiveHashes() {
        for count in 16...300 {
            let geometry = PartGeometry(bucketCount: count)
            var begin: UInt64 = 0
            for bucket in 0..<UInt64(count) {
                // Found by halving, not by the division that is tested.
                let end = Self.beginning(of: bucket + 1, geometry)
                let row = [begin, begin + 1, (begin + end) / 2, end - 2, end - 1]
                if end - begin > 1 << 22 { Issue.record("\(count) buckets: too long a row") }
                for hash in row {
                    let back = geometry.hash(of: hash & Self.low, first: geometry.first(of: hash))
                    if geometry.first(of: hash) != bucket || back != hash {
                        Issue.record("\(count) buckets: \(hash) became \(back)")
                    }
                }
                begin = end
            }
            if begin != 1 << 26 { Issue.record("\(count) buckets do not cover all") }
        }
    }

    /// The least hash whose first bucket is `bucket` or one behind it.
    private static func beginning(of bucket: UInt64, _ geometry: PartGeometry) -> UInt64 {
        var (low, high): (UInt64, UInt64) = (0, 1 << 26)
        while low < high {
            let middle = (low + high) / 2
            if geometry.first(of: middle) < bucket { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// One hash after the other, where rows are longest and where they do not fit evenly.
    @Test(arguments: [16, 17])
    func everyHashOfThreeBucketsComesBack(count: Int) {
        let geometry = PartGeometry(bucketCount: count)
        for bucket in [0, UInt64(count) / 2, UInt64(count) - 1] {
            var hash = Self.beginning(of: bucket, geometry)
            let end = hash + 300_000
            while hash < end {
                if geometry.hash(of: hash & Self.low, first: bucket) != hash {
                    Issue.record("\(count) buckets: \(hash)")
                }
                hash += 1
            }
        }
    }

    @Test(arguments: [16, 17, 1_000, 4_711, 1 << 20, 1 << 23])
    func theSecondBucketIsAnotherAndGivesTheFirst(count: Int) {
        let geometry = PartGeometry(bucketCount: count)
        var generator = SeededGenerator(seed: UInt64(count))
        var seconds: Set<UInt64> = []
        for _ in 0..<20_000 {
            let hash = generator.next() & PartGeometry.hashMask
            let first = geometry.first(of: hash)
            let second = geometry.second(of: hash & Self.low, first: first)
            let back = geometry.first(of: hash & Self.low, second: second)
            if second == first || second >= UInt64(count) || back != first {
                Issue.record("\(count) buckets: \(first), \(second), \(back)")
            }
            seconds.insert(second)
        }
        #expect(seconds.count > min(count, 20_000) / 2, "second buckets are spread")
    }

    @Test func fewerThan16BucketsAreRefused() async {
        await #expect(processExitsWith: .failure) { _ = PartGeometry(bucketCount: 15) }
    }
}
