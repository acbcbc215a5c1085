import CacheWorkload
import Testing

@Suite struct WeightedChoiceTests {
    @Test func everyWordChoosesOne() {
        let choice = WeightedChoice([1, 1])
        #expect(choice.index(0) == 0)
        #expect(choice.index(1 << 63) == 0)
        #expect(choice.index(1 << 63 + 1) == 1)
        #expect(choice.index(.max) == 1)
        #expect(WeightedChoice([0.3]).index(.max) == 0)
    }

    @Test func aWeightThatRoundingSwallowsTakesNothingFromTheOthers() {
        let choice = WeightedChoice([1e300, 1, 1])
        #expect(choice.index(1 << 60) == 0)
        #expect(choice.index(.max) == 0)
    }

    @Test func shareFollowsWeight() {
        let weights = [0.7, 2, 5.5, 0.01, 1]
        let choice = WeightedChoice(weights)
        var random = WorkloadRandom(seed: 11)
        var counts = Array(repeating: 0, count: weights.count)
        for _ in 0..<200_000 { counts[choice.index(random.word())] += 1 }
        let sum = weights.reduce(0, +)
        #expect(abs(Tally.deviation(counts, expected: weights.map { $0 / sum * 200_000 })) < 5)
    }

    @Test func nothingToChooseIsAMistakeOfTheCaller() async {
        await #expect(processExitsWith: .failure) { _ = WeightedChoice([]) }
        await #expect(processExitsWith: .failure) { _ = WeightedChoice([0, 1]) }
    }
}
