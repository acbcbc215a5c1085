import CacheModel
import Testing

@testable import Threading

/// Resident and free in MiB, time in seconds; looks five seconds apart.
@Suite struct FreedMemoryRuleTests {
    /// A process, look by look.
    private struct Process {
        var rule = FreedMemoryRule()
        var seconds = 0
        /// What a look at what is free takes.
        var cost = Duration.zero

        /// What comes of a look: `-` the allocator is not asked, `?` it is, `!` it gives, after
        /// which `rest` is resident.
        mutating func look(_ resident: Int, free: Int, rest: Int = 0) -> Character {
            seconds += 5
            let now = Instant(nanoseconds: 0).advanced(by: .seconds(seconds))
            guard rule.asks(resident: resident << 20, now: now) else { return "-" }
            let gives = rule.gives(freed: free << 20)
            rule.note(cost: cost, until: now)
            guard gives else { return "?" }
            rule.note(givenAt: now, bytes: (resident - rest) << 20, resident: rest << 20)
            return "!"
        }

        /// So many looks at the same.
        mutating func looks(_ count: Int, _ resident: Int, free: Int, rest: Int = 0) -> String {
            String((0..<count).map { _ in look(resident, free: free, rest: rest) })
        }

        /// It gives nothing in an hour of the same.
        mutating func keeps(
            _ resident: Int, free: Int, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let seen = looks(720, resident, free: free)
            #expect(!seen.contains("!"), sourceLocation: sourceLocation)
        }

        /// Looks until it gives: how many seconds that takes, `nil` beyond an hour.
        mutating func secondsToGiving(_ resident: Int, free: Int, rest: Int) -> Int? {
            let start = seconds
            while seconds < start + 3_600 {
                if look(resident, free: free, rest: rest) == "!" { return seconds - start }
            }
            return nil
        }
    }

    @Test func whatIsFreeAtTwoLooksIsGivenBackOnce() {
        var process = Process()
        #expect(process.looks(2, 200, free: 150, rest: 50) == "?!")
        // The allocator goes on counting it as free.
        #expect(process.looks(13, 50, free: 150) == "-----------??")
        process.keeps(50, free: 150)
    }

    @Test func whatIsUsedAgainBetweenTwoLooksIsLeftAlone() {
        var process = Process()
        for _ in 0..<20 {
            #expect(process.look(200, free: 150) == "?")
            #expect(process.look(200, free: 0) == "?")
        }
    }

    @Test func aProcessThatIsSmallIsNotAsked() {
        var process = Process()
        #expect(process.looks(3, 32, free: 32) == "---")
        #expect(process.looks(2, 33, free: 31) == "??")
        #expect(process.looks(2, 33, free: 32) == "?!")
    }

    /// What was in use when the first was given, and no more is resident.
    @Test func whatIsFreedLaterIsGivenBackToo() {
        var process = Process()
        #expect(process.looks(2, 1_000, free: 100, rest: 900) == "?!")
        process.keeps(900, free: 131)
        #expect(process.looks(2, 900, free: 850, rest: 150) == "?!")
        process.keeps(150, free: 850)
    }

    /// Of what was given a part is used for something else, and freed again.
    @Test func whatWasUsedInBetweenIsNewWhenItIsFreed() {
        var process = Process()
        #expect(process.looks(2, 200, free: 150, rest: 50) == "?!")
        process.keeps(80, free: 117)
        process.keeps(80, free: 148)
        #expect(process.looks(2, 80, free: 149, rest: 50) == "?!")
    }

    /// Used and freed again between two looks, at which as much was free.
    @Test("Memory is released again once the resident size grows by an eighth plus 32 MiB")
    func residentGrowthBeyondAThresholdReleasesMemoryAgain() {
        var process = Process()
        #expect(process.looks(2, 1_600, free: 800, rest: 800) == "?!")
        process.keeps(932, free: 800)
        #expect(process.looks(2, 933, free: 800, rest: 800) == "?!")
        // Less is resident by itself, and that is where it counts from.
        process.keeps(80, free: 800)
        #expect(process.looks(2, 123, free: 800, rest: 80) == "?!")
    }

    /// Entries lie elsewhere, and there are more of them every minute.
    @Test func whatGivesNothingIsTriedSeldomAndHoldsUpNothing() throws {
        var process = Process()
        #expect(process.looks(2, 200, free: 150, rest: 50) == "?!")
        process.keeps(50, free: 150)
        var resident = 50
        for _ in 0..<10 {
            resident += resident / 8 + 33
            let first = process.secondsToGiving(resident, free: 150, rest: resident)
            // No later for what came of the time before.
            #expect(try #require(first) <= 65)
        }
        process.keeps(resident, free: 150)
        #expect(process.secondsToGiving(resident, free: 250, rest: resident - 100) == 10)
    }

    @Test func memoryReusedAtOnceIsReleasedLessOften() {
        var process = Process()
        let pauses = (0..<9).map { _ in process.secondsToGiving(200, free: 150, rest: 50) }
        #expect(pauses == [10, 65, 125, 245, 485, 965, 965, 965, 965])
        // Calm for as long as the pause was: then it begins anew.
        process.keeps(50, free: 150)
        #expect(process.secondsToGiving(200, free: 150, rest: 50) == 10)
        #expect(process.secondsToGiving(200, free: 150, rest: 50) == 65)
    }

    @Test func whereLookingTakesLongItIsDoneSeldom() {
        var process = Process(cost: .milliseconds(30))
        #expect(process.looks(13, 200, free: 10) == "?-----?-----?")
        process.cost = .zero
        #expect(process.looks(9, 200, free: 10) == "-----????")
    }

    /// A machine that slept in the middle of a look.
    @Test func aVeryLongCheckDelaysTheNextByAtMostSixteenMinutes() {
        var process = Process(cost: .seconds(3_600))
        let seen = process.looks(193, 200, free: 10)
        #expect(seen == "?" + String(repeating: "-", count: 191) + "?")
    }
}
