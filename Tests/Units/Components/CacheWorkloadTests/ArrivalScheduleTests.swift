import CacheModel
import CacheWorkload
import Testing

@Suite struct ArrivalScheduleTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)

    private static func schedule(
        _ perSecond: Int, _ pattern: ArrivalPattern, thread: Int = 0, of threads: Int = 1,
        seed: UInt64 = 1
    ) -> ArrivalSchedule {
        ArrivalSchedule(
            perSecond: perSecond, pattern, share: ThreadShare(thread: thread, of: threads),
            seed: seed, start: start)
    }

    /// Nanoseconds after the start.
    private static func dues(_ schedule: ArrivalSchedule, _ count: Int) -> [UInt64] {
        var schedule = schedule
        return (0..<count).map { _ in schedule.take().nanoseconds - start.nanoseconds }
    }

    @Test(arguments: [1, 3, 7, 1_000, 999_983, 100_000_000])
    func aConstantRateIsExactForever(perSecond: Int) {
        var schedule = Self.schedule(perSecond, .constant)
        for number in 0..<300_000 {
            let due = schedule.take().nanoseconds - Self.start.nanoseconds
            let exact = UInt64(number) * 1_000_000_000 / UInt64(perSecond)
            guard due == exact else {
                Issue.record("\(number) is due at \(due), not at \(exact)")
                return
            }
        }
    }

    @Test(arguments: [2, 3, 8], [1_000, 999_983])
    func threadsAtAConstantRateTakeTurns(threads: Int, perSecond: Int) {
        let together = (0..<threads).flatMap { thread in
            Self.dues(Self.schedule(perSecond, .constant, thread: thread, of: threads), 1_000)
        }
        let alone = Self.dues(Self.schedule(perSecond, .constant), threads * 1_000)
        #expect(together.sorted() == alone)
    }

    @Test(arguments: [1, 4])
    func gapsOfPoissonArrivalsAreExponential(threads: Int) {
        let count = 200_000
        let dues = Self.dues(
            Self.schedule(10_000, .poisson, thread: threads - 1, of: threads), count)
        let mean = 100_000 * Double(threads)
        var last: UInt64 = 0
        var counts = Array(repeating: 0, count: 16)
        for due in dues {
            // The distribution function makes an even number of an exponential one.
            let even = 1 - ElementaryFunction.exponential(-Double(due - last) / mean)
            counts[min(Int(even * 16), 15)] += 1
            last = due
        }
        #expect(abs(Tally.deviation(counts)) < 5)
        // The mean of so many is within five of its deviations.
        let error = Double(last) / Double(count) / mean - 1
        #expect(abs(error) < 5 / Double(count).squareRoot())
    }

    @Test func poissonArrivalsInEqualTimesAreAsOftenAsPoissonSays() {
        let dues = (0..<4).flatMap { thread in
            Self.dues(Self.schedule(2_000, .poisson, thread: thread, of: 4), 60_000)
        }
        // Milliseconds with so many arrivals, of the 100 seconds that all threads reach.
        var perMillisecond = Array(repeating: 0, count: 100_000)
        for due in dues where due < 100_000_000_000 { perMillisecond[Int(due / 1_000_000)] += 1 }
        var counts = Array(repeating: 0, count: 8)
        for count in perMillisecond { counts[min(count, 7)] += 1 }
        var chance = ElementaryFunction.exponential(-2)
        var expected: [Double] = []
        for count in 0..<7 {
            expected.append(chance * 100_000)
            chance *= 2 / Double(count + 1)
        }
        expected.append(100_000 - expected.reduce(0, +))
        #expect(abs(Tally.deviation(counts, expected: expected)) < 5)
    }

    @Test func theSameSeedIsDueAtTheSameTimes() {
        func dues(_ seed: UInt64) -> [UInt64] {
            Self.dues(Self.schedule(1_000, .poisson, seed: seed), 100)
        }
        #expect(dues(1) == dues(1))
        #expect(dues(1) != dues(2))
    }

    @Test func machinesDoNotArriveTogether() {
        func dues(_ worker: Int) -> [UInt64] {
            let share = ThreadShare(thread: 0, of: 1, worker: KeyPart(index: worker, count: 2))
            return Self.dues(
                ArrivalSchedule(
                    perSecond: 1_000, .poisson, share: share, seed: 1, start: Self.start), 100)
        }
        #expect(Set(dues(0)).isDisjoint(with: dues(1)))
    }
}
