import CacheMemory
import CacheModel
import Testing

@testable import CacheNodeCore

@Suite struct RevalidationPaceTests {
    private static func at(_ milliseconds: Int) -> Instant {
        Instant(nanoseconds: 5_000_000_000).advanced(by: .milliseconds(milliseconds))
    }

    private static let key = KeyHash(7)

    @Test func aKeyIsDueOnceASecondWhereverTheSecondBegins() {
        var pace = RevalidationPace()
        var asked: [Int] = []
        for time in stride(from: 0, through: 10_000, by: 70)
        where pace.word(on: Self.key, now: Self.at(time)) == .due {
            pace.ask(KeyHash(UInt64(time) + 100), now: Self.at(time))
            pace.ask(Self.key, now: Self.at(time))
            asked.append(time)
        }
        #expect(asked.count >= 9)
        for (one, next) in zip(asked, asked.dropFirst()) { #expect(next - one >= 1_000) }
    }

    @Test func whatWasStoredSinceIsConfirmed() {
        var pace = RevalidationPace()
        pace.confirm(Self.key)
        #expect(pace.word(on: Self.key, now: Self.at(0)) == .due)
        pace.ask(Self.key, now: Self.at(0))
        #expect(pace.word(on: Self.key, now: Self.at(10)) == .asked)
        #expect(pace.timeLeft(of: Self.key, now: Self.at(10)) == .milliseconds(990))
        pace.confirm(Self.key)
        #expect(pace.word(on: Self.key, now: Self.at(999)) == .confirmed)
        #expect(pace.word(on: Self.key, now: Self.at(1_000)) == .due)
    }

    @Test func beyondItsBoundNoKeyIsDueUntilTheSecondIsOver() {
        var pace = RevalidationPace(keysMax: 3)
        for number in 1...4 as ClosedRange<UInt64> {
            pace.ask(KeyHash(number), now: Self.at(Int(number)))
        }
        #expect(pace.count == 3)
        #expect(pace.word(on: Self.key, now: Self.at(100)) == .asked)
        #expect(pace.timeLeft(of: Self.key, now: Self.at(101)) == .milliseconds(900))
        #expect(pace.word(on: Self.key, now: Self.at(1_001)) == .due)
    }

    @Test func whatIsTakenBackIsDueAgain() {
        var pace = RevalidationPace()
        pace.ask(Self.key, now: Self.at(0))
        pace.forget(Self.key)
        #expect(pace.word(on: Self.key, now: Self.at(1)) == .due && pace.count == 0)
    }
}
