import CacheWorkload
import Testing

@Suite struct SizeSamplerTests {
    private static let mixed = SizeDistribution([
        .init(64...64, weight: 0.7), .init(1_024...1_033, weight: 0.25),
        .init(65_536...65_536, weight: 0.05),
    ])

    @Test func oneSizeIsEveryKeys() {
        let sizes = SizeSampler(.fixed(100), of: .value)
        #expect((0..<1_000).allSatisfy { sizes.bytes(for: $0) == 100 })
    }

    @Test func aKeyKeepsItsSize() {
        let first = SizeSampler(Self.mixed, of: .value)
        let second = SizeSampler(Self.mixed, of: .value)
        #expect((0..<1_000).allSatisfy { first.bytes(for: $0) == second.bytes(for: $0) })
    }

    /// On every machine, in every run: whoever reads knows how long a value must be.
    @Test func theSizesOfTheFirstKeysAreWrittenDown() {
        let sizes = SizeSampler(.uniform(16...1_024), of: .value)
        #expect((0..<4).map { sizes.bytes(for: $0) } == [971, 445, 875, 855])
    }

    @Test func sizesOfARangeAreAsLikelyEach() {
        let sizes = SizeSampler(.uniform(16...47), of: .value)
        var counts = Array(repeating: 0, count: 32)
        for key in 0..<100_000 { counts[sizes.bytes(for: key) - 16] += 1 }
        #expect(abs(Tally.deviation(counts)) < 5)
    }

    @Test func partsHaveTheirShareOfTheKeys() {
        let sizes = SizeSampler(Self.mixed, of: .value)
        var counts: [Int: Int] = [:]
        for key in 0..<200_000 { counts[sizes.bytes(for: key), default: 0] += 1 }
        let keys = counts.keys.sorted()
        #expect(keys == [64] + Array(1_024...1_033) + [65_536])
        let expected = [140_000.0] + Array(repeating: 5_000.0, count: 10) + [10_000]
        #expect(abs(Tally.deviation(keys.map { counts[$0] ?? 0 }, expected: expected)) < 5)
    }

    @Test func theLengthOfAKeySaysNothingOfItsValues() {
        let keys = SizeSampler(.uniform(16...17), of: .key)
        let values = SizeSampler(.uniform(16...17), of: .value)
        var counts = [0, 0, 0, 0]
        for key in 0..<100_000 {
            counts[(keys.bytes(for: key) - 16) * 2 + values.bytes(for: key) - 16] += 1
        }
        #expect(abs(Tally.deviation(counts)) < 5)
    }

    @Test func aDistributionKnowsItsEndsAndItsMean() {
        #expect(Self.mixed.bytesMin == 64)
        #expect(Self.mixed.bytesMax == 65_536)
        #expect(abs(Self.mixed.meanBytes - (44.8 + 257.125 + 3_276.8)) < 1e-9)
        #expect(SizeDistribution.uniform(1...3).meanBytes == 2)
    }
}
