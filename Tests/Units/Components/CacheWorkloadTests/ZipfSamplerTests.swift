import CacheWorkload
import Foundation
import Testing

@Suite struct ZipfSamplerTests {
    private static func probabilities(_ count: Int, _ exponent: Double) -> [Double] {
        let weights = (1...count).map { pow(Double($0), -exponent) }
        let sum = weights.reduce(0, +)
        return weights.map { $0 / sum }
    }

    @Test(arguments: [0.01, 0.5, 0.99, 1, 1.000_001, 1.2, 2, 9.99], [2, 3, 50])
    func ranksAreDrawnByTheirExactProbabilities(exponent: Double, count: Int) {
        let draws = 60_000
        let sampler = ZipfSampler(count: count, exponent: exponent)
        var random = WorkloadRandom(seed: 1, stream: UInt64(count))
        var counts = Array(repeating: 0, count: count)
        for _ in 0..<draws { counts[sampler.draw(&random) - 1] += 1 }
        // Classes that hardly anything falls into are joined with the last that matters.
        let expected = Self.probabilities(count, exponent).map { $0 * Double(draws) }
        let rare = max(expected.firstIndex { $0 < 20 } ?? count, 1)
        var joined = Array(counts[..<rare])
        var wanted = Array(expected[..<rare])
        if rare < count {
            joined[rare - 1] += counts[rare...].reduce(0, +)
            wanted[rare - 1] += expected[rare...].reduce(0, +)
        }
        if joined.count > 1 {
            #expect(abs(Tally.deviation(joined, expected: wanted)) < 5)
        } else {
            #expect(joined == [draws])
        }
    }

    /// In octaves: each of so many ranks is too rare to be counted.
    @Test(arguments: [0.5, 0.99, 1, 1.3])
    func manyRanksAreDrawnByTheirExactProbabilities(exponent: Double) {
        let count = 1 << 17
        let draws = 200_000
        let sampler = ZipfSampler(count: count, exponent: exponent)
        var random = WorkloadRandom(seed: 2)
        var counts = Array(repeating: 0, count: 17)
        for _ in 0..<draws { counts[min(Self.octave(sampler.draw(&random)), 16)] += 1 }
        var expected = Array(repeating: 0.0, count: 17)
        for (index, share) in Self.probabilities(count, exponent).enumerated() {
            expected[min(Self.octave(index + 1), 16)] += share * Double(draws)
        }
        #expect(abs(Tally.deviation(counts, expected: expected)) < 5)
    }

    private static func octave(_ rank: Int) -> Int { 63 - rank.leadingZeroBitCount }

    /// The sum of a billion weights by its integral, exact to nine digits.
    @Test func theHeadOfABillionIsAsHotAsItShouldBe() {
        let count = 1_000_000_000
        let exponent = 0.99
        let near = (1...10_000).reduce(0.0) { $0 + pow(Double($1), -exponent) }
        let far =
            (pow(Double(count) + 0.5, 1 - exponent) - pow(10_000.5, 1 - exponent)) / (1 - exponent)
        let sampler = ZipfSampler(count: count, exponent: exponent)
        var random = WorkloadRandom(seed: 5)
        var counts = [0, 0, 0, 0]
        for _ in 0..<200_000 {
            let rank = sampler.draw(&random)
            #expect(rank >= 1 && rank <= count)
            counts[min(rank, 4) - 1] += 1
        }
        let shares = (1...3).map { pow(Double($0), -exponent) / (near + far) }
        let expected = (shares + [1 - shares.reduce(0, +)]).map { $0 * 200_000 }
        #expect(abs(Tally.deviation(counts, expected: expected)) < 5)
    }

    @Test func oneRankIsAlwaysDrawn() {
        let sampler = ZipfSampler(count: 1, exponent: 0.99)
        var random = WorkloadRandom(seed: 1)
        #expect((0..<1_000).allSatisfy { _ in sampler.draw(&random) == 1 })
    }

    @Test func fewDrawsAreThrownAway() {
        let sampler = ZipfSampler(count: 1_000_000, exponent: 0.99)
        var random = WorkloadRandom(seed: 4)
        let kept = (0..<100_000).count { _ in sampler.rank(unit: random.unit()) != nil }
        #expect(kept > 95_000)
    }

    @Test func theEndsOfTheUnitAreRanks() {
        for exponent in [0.01, 0.99, 1, 2, 9.99] {
            let sampler = ZipfSampler(count: 1_000, exponent: exponent)
            for unit in [0, 0x1p-53, 0.5, 1 - 0x1p-53] {
                if let rank = sampler.rank(unit: unit) { #expect((1...1_000).contains(rank)) }
            }
        }
    }
}
