import Testing

@testable import CacheNodeCore

/// Which operations are sampled: as many as were asked for, at no even distances, and the same ones
/// of the same seed.
@Suite struct OperationSamplerTests {
    /// Indices of the operations that are sampled, of so many in messages of so many.
    private static func sampled(
        every: Int?, of count: Int, in batch: Int = 1, seed: UInt64 = 1
    ) -> [Int] {
        var sampler = OperationSampler(every: every, seed: seed)
        var found: [Int] = []
        for first in stride(from: 0, to: count, by: batch) where sampler.pass(batch) {
            while let index = sampler.next(of: batch) {
                #expect((0..<batch).contains(index))
                found.append(first + index)
            }
        }
        return found
    }

    @Test func withoutSamplingThereIsNone() {
        #expect(Self.sampled(every: nil, of: 100_000, in: 100).isEmpty)
    }

    @Test func oneOfOneIsEveryOneHoweverTheyCome() {
        #expect(Self.sampled(every: 1, of: 1_000) == Array(0..<1_000))
        #expect(Self.sampled(every: 1, of: 1_000, in: 250) == Array(0..<1_000))
    }

    @Test(arguments: [2, 10, 1_000])
    func samplingKeepsItsRateAndSpacesSamplesBelowTwiceTheInterval(every: Int) {
        let found = Self.sampled(every: every, of: 1_000 * every)
        #expect((900...1_100).contains(found.count))
        let distances = zip(found.dropFirst(), found).map { $0 - $1 }
        #expect(distances.allSatisfy { (1..<2 * every).contains($0) })
        #expect(Set(distances).count > 1)
    }

    @Test func batchesChangeNothingOfWhatIsSampled() {
        let alone = Self.sampled(every: 7, of: 10_000)
        #expect(Self.sampled(every: 7, of: 10_000, in: 100) == alone)
        #expect(Self.sampled(every: 7, of: 10_000, in: 1_000) == alone)
    }

    /// Whoever asks for a hundred keys at a time has every one of them sampled in time.
    @Test func noPlaceInABatchIsAlwaysPassedOver() {
        let places = Self.sampled(every: 100, of: 1_000_000, in: 100).map { $0 % 100 }
        #expect(Set(places).count == 100)
    }

    @Test func anotherSeedSamplesOthersAndTheSameOneTheSame() {
        let first = Self.sampled(every: 10, of: 10_000, seed: 1)
        #expect(Self.sampled(every: 10, of: 10_000, seed: 1) == first)
        #expect(Self.sampled(every: 10, of: 10_000, seed: 2) != first)
    }

    @Test func whatIsTakenBackNeverWas() {
        var sampler = OperationSampler(every: 5, seed: 3)
        var with = OperationSampler(every: 5, seed: 3)
        for _ in 0..<100 {
            for _ in 0..<3 {
                _ = with.pass(50)
                with.takeBack(50)
            }
            #expect(sampler.pass(1) == with.pass(1))
            #expect(sampler.next(of: 1) == with.next(of: 1))
        }
    }
}
