import CacheWorkload
import Testing

@Suite struct WorkloadRandomTests {
    @Test func aSeedTellsTheSameNumbersEverywhere() {
        var random = WorkloadRandom(seed: 1)
        let words = (0..<3).map { _ in random.word() }
        #expect(
            words == [210_955_736_046_342_622, 1_669_757_582_885_213_062, 68_104_332_101_595_509])
    }

    @Test func streamsOfOneSeedShareNoNumber() {
        let words = (UInt64(0)..<64).flatMap { stream -> [UInt64] in
            var random = WorkloadRandom(seed: 7, stream: stream)
            return (0..<1_000).map { _ in random.word() }
        }
        #expect(Set(words).count == words.count)
    }

    @Test(arguments: [2, 3, 10, 97])
    func numbersBelowABoundAreAsLikelyEach(bound: Int) {
        var random = WorkloadRandom(seed: UInt64(bound))
        var counts = Array(repeating: 0, count: bound)
        for _ in 0..<100_000 { counts[random.below(bound)] += 1 }
        #expect(abs(Tally.deviation(counts)) < 5)
    }

    @Test func unitsAreEvenAndBelowOne() {
        var random = WorkloadRandom(seed: 3)
        var counts = Array(repeating: 0, count: 64)
        for _ in 0..<100_000 {
            let unit = random.unit()
            #expect(unit >= 0 && unit < 1)
            counts[Int(unit * 64)] += 1
        }
        #expect(abs(Tally.deviation(counts)) < 5)
    }
}
