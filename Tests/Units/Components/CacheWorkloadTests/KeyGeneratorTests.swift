import CacheWorkload
import Foundation
import Testing

@Suite struct KeyGeneratorTests {
    private static func counts(
        _ distribution: KeyDistribution, of keyCount: Int, draws: Int, seed: UInt64 = 1
    ) -> [Int] {
        var keys = KeyGenerator(distribution, count: keyCount)
        var random = WorkloadRandom(seed: seed)
        var counts = Array(repeating: 0, count: keyCount)
        for _ in 0..<draws { counts[keys.draw(&random, insertedCount: 0)] += 1 }
        return counts
    }

    @Test func uniformAsksForEachAsOften() {
        let counts = Self.counts(.uniform, of: 1_000, draws: 200_000)
        #expect(abs(Tally.deviation(counts)) < 5)
    }

    @Test func sequentialGoesRound() {
        var keys = KeyGenerator(.sequential, count: 3)
        var random = WorkloadRandom(seed: 1)
        let drawn = (0..<7).map { _ in keys.draw(&random, insertedCount: 0) }
        #expect(drawn == [0, 1, 2, 0, 1, 2, 0])
    }

    @Test(arguments: [1, 2, 3, 10, 97, 1_000, 4_096])
    func scatteringLosesNoKeyAndSharesNone(count: Int) {
        let keys = KeyGenerator(.zipf(exponent: 1), count: count)
        #expect(Set((0..<count).map { keys.scatter($0) }) == Set(0..<count))
    }

    @Test(arguments: [1, 2, 1_000_003, 999_999_999, 1_000_000_000, 1 << 31])
    func scatteringIsAMultiplicationModuloTheCount(count: Int) {
        let keys = KeyGenerator(.zipf(exponent: 1), count: count)
        var random = WorkloadRandom(seed: 1)
        for rank in [0, count / 2, count - 1] + (0..<20_000).map({ _ in random.below(count) }) {
            #expect(keys.scatter(rank) == rank * keys.stride % count)
        }
    }

    @Test func hotKeysAreNoNeighbours() {
        let keys = KeyGenerator(.zipf(exponent: 1), count: 1_000_000)
        let hot = (0..<1_000).map { keys.scatter($0) }.sorted()
        let gaps = zip(hot.dropFirst(), hot).map { $0 - $1 }
        #expect((gaps.min() ?? 0) > 100)
    }

    @Test func zipfAsksForScatteredKeysByRank() {
        let counts = Self.counts(.zipf(exponent: 0.99), of: 100, draws: 200_000)
        let keys = KeyGenerator(.zipf(exponent: 0.99), count: 100)
        let weights = (1...100).map { pow(Double($0), -0.99) }
        let sum = weights.reduce(0, +)
        let ranked = (0..<100).map { counts[keys.scatter($0)] }
        #expect(abs(Tally.deviation(ranked, expected: weights.map { $0 / sum * 200_000 })) < 5)
    }

    @Test func aHotSetTakesItsShareAndTheRestTakesTheOther() {
        let hotSet = KeyDistribution.hotSet(requestShare: 0.9, keyShare: 0.01)
        let counts = Self.counts(hotSet, of: 1_000, draws: 300_000)
        let keys = KeyGenerator(hotSet, count: 1_000)
        let ranked = (0..<1_000).map { counts[keys.scatter($0)] }
        let expected =
            Array(repeating: 27_000.0, count: 10) + Array(repeating: 30_000.0 / 990, count: 990)
        #expect(abs(Tally.deviation(ranked, expected: expected)) < 5)
    }

    @Test(arguments: [(1.0, 0.5), (0.5, 1.0), (1.0, 1.0), (0.000_001, 0.000_001)])
    func aHotSetMayBeAllOrNextToNothing(requestShare: Double, keyShare: Double) {
        let hotSet = KeyDistribution.hotSet(requestShare: requestShare, keyShare: keyShare)
        let counts = Self.counts(hotSet, of: 10, draws: 10_000)
        let asked = counts.count { $0 > 0 }
        #expect(asked == (keyShare == 0.5 ? 5 : keyShare == 1 ? 10 : 9))
    }

    @Test func latestAsksMostForWhatWasInsertedLast() {
        var keys = KeyGenerator(.latest(exponent: 0.99), count: 100)
        var random = WorkloadRandom(seed: 1)
        var counts = Array(repeating: 0, count: 150)
        for _ in 0..<200_000 { counts[keys.draw(&random, insertedCount: 50)] += 1 }
        let weights = (1...100).map { pow(Double($0), -0.99) }
        let sum = weights.reduce(0, +)
        let newestFirst = Array(counts[50...].reversed())
        #expect(abs(Tally.deviation(newestFirst, expected: weights.map { $0 / sum * 200_000 })) < 5)
        #expect(counts[..<50].allSatisfy { $0 == 0 })
    }

    @Test(arguments: [
        KeyDistribution.uniform, .sequential, .zipf(exponent: 0.99),
        .hotSet(requestShare: 0.9, keyShare: 0.1), .latest(exponent: 0.5),
    ])
    func theSameSeedAsksForTheSameKeys(distribution: KeyDistribution) {
        func drawn(_ seed: UInt64) -> [Int] {
            var keys = KeyGenerator(distribution, count: 1_000_000)
            var random = WorkloadRandom(seed: seed)
            return (0..<1_000).map { _ in keys.draw(&random, insertedCount: 0) }
        }
        #expect(drawn(1) == drawn(1))
        if distribution != .sequential { #expect(drawn(1) != drawn(2)) }
    }

    /// On every machine, under every release: two machines share a test by its seed.
    @Test func theKeysOfASeedAreWrittenDown() {
        func drawn(_ distribution: KeyDistribution) -> [Int] {
            var keys = KeyGenerator(distribution, count: 1_000_000)
            var random = WorkloadRandom(seed: 42)
            return (0..<4).map { _ in keys.draw(&random, insertedCount: 0) }
        }
        #expect(drawn(.uniform) == [908_487, 789_279, 100_376, 218_094])
        #expect(drawn(.zipf(exponent: 0.99)) == [618_033, 34_429, 953_262, 315_844])
        #expect(
            drawn(.hotSet(requestShare: 0.9, keyShare: 0.01)) == [
                663_738, 311_940, 635_313, 842_926,
            ])
    }
}
