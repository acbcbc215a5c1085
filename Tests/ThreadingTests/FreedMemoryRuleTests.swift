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
            rule.note(givenAt: now, resident: rest << 20)
            return "!"
        }

        /// So many looks at the same.
        mutating func looks(_ count: Int, _ resident: Int, free: Int, rest: Int = 0) -> String {
            String((0..<count).map { _ in look(resident, free: free, rest: rest) })
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

    @Test func whatIsFreeAtTwoLooksIsGivenBackAndNotAskedForAgain() {
        var process = Process()
        #expect(process.looks(2, 200, free: 150, rest: 50) == "?!")
        // The allocator goes on counting it as free.
        #expect(process.looks(100, 50, free: 150) == String(repeating: "-", count: 100))
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

    @Test func afterItWasGivenOnlyAnEighthAndThirtyTwoMebibytesMoreAreWorthALook() {
        var process = Process()
        #expect(process.looks(2, 1_600, free: 800, rest: 800) == "?!")
        #expect(process.looks(12, 932, free: 800) == String(repeating: "-", count: 12))
        #expect(process.looks(2, 933, free: 800, rest: 800) == "?!")
    }

    @Test func whatComesBackByItselfLowersWhatIsMuch() {
        var process = Process()
        #expect(process.looks(2, 1_600, free: 800, rest: 800) == "?!")
        #expect(process.looks(12, 80, free: 800) == String(repeating: "-", count: 12))
        #expect(process.looks(2, 123, free: 800, rest: 80) == "?!")
    }

    /// One look sees much, then it is gone; the next time is the first again.
    @Test func twoLooksCountOnlyOneAfterTheOther() {
        var process = Process()
        #expect(process.looks(2, 200, free: 150, rest: 100) == "?!")
        #expect(process.looks(12, 100, free: 150) == String(repeating: "-", count: 12))
        #expect(process.look(200, free: 150) == "?")
        #expect(process.look(100, free: 150) == "-")
        #expect(process.look(200, free: 150) == "?")
        #expect(process.look(200, free: 150, rest: 100) == "!")
    }

    @Test func whoUsesItAgainAtOncePaysLessAndLessOften() {
        var process = Process()
        let pauses = (0..<9).map { _ in process.secondsToGiving(200, free: 150, rest: 50) }
        #expect(pauses == [10, 65, 125, 245, 485, 965, 965, 965, 965])
        // Calm for as long as the pause was: then it begins anew.
        #expect(process.looks(400, 50, free: 150).allSatisfy { $0 == "-" })
        #expect(process.secondsToGiving(200, free: 150, rest: 50) == 10)
        #expect(process.secondsToGiving(200, free: 150, rest: 50) == 65)
    }

    @Test func whereLookingTakesLongItIsDoneSeldom() {
        var process = Process(cost: .milliseconds(30))
        #expect(process.looks(13, 200, free: 10) == "?-----?-----?")
        process.cost = .zero
        #expect(process.looks(9, 200, free: 10) == "-----????")
    }
}
