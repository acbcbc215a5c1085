import CacheModel
import Foundation
import Testing

@testable import Threading

@Suite struct DescriptorAlarmTests {
    /// What is said when so many of a hundred are in use, one after the other.
    private static func said(_ counts: [Int]) -> [String?] {
        var alarm = DescriptorAlarm()
        return counts.map { count in
            alarm.note(DescriptorUsage(open: count, max: 100)).map {
                $0.isAlarm ? "alarm" : "all-clear"
            }
        }
    }

    @Test func itIsSaidOnceAtEightyPercentAndEndsBelowSeventy() {
        #expect(
            Self.said([0, 79, 80, 81, 100, 75, 70, 90, 69, 75, 79, 80])
                == [
                    nil, nil, "alarm", nil, nil, nil, nil, nil, "all-clear", nil, nil, "alarm",
                ])
    }

    @Test func aFirstCountAboveTheLimitRaisesTheAlarmAtOnce() {
        #expect(Self.said([95, 10]) == ["alarm", "all-clear"])
    }

    @Test func theSentencesSayTheNumbersAndTheRemedy() throws {
        let usage = DescriptorUsage(open: 820, max: 1_024)
        let alarm = DescriptorAlarm.Notice(usage: usage, isAlarm: true).sentence
        #expect(alarm.hasPrefix("820 of 1024 descriptors are in use"))
        #expect(alarm.contains("LimitNOFILE="))
        let calm = DescriptorAlarm.Notice(usage: usage, isAlarm: false).sentence
        #expect(calm == "820 of 1024 descriptors are in use: there is room again")
    }

    @Test func numbersBeyondReasonAreJudgedWithoutATrap() {
        #expect(DescriptorUsage(open: .max, max: .max).isAtLeast(percent: 100))
        #expect(!DescriptorUsage(open: .min, max: .max).isAtLeast(percent: 1))
        #expect(DescriptorUsage(open: 1, max: .min).isAtLeast(percent: 100))
    }

    @Test func theSystemCountsWhatIsOpen() throws {
        let before = try #require(Descriptors.usage)
        let pipes = (0..<16).map { _ in Pipe() }
        let after = try #require(Descriptors.usage)
        withExtendedLifetime(pipes) {}
        // Other tests open and close some, too.
        #expect(after.open >= before.open + 16 && after.open <= before.open + 96)
        #expect(after.max == before.max && after.max > 0)
    }

    @Test func theLimitIsRaisedToWhatMayBeAndNoFurther() throws {
        let before = try #require(Descriptors.limits)
        Descriptors.raiseLimit()
        let after = try #require(Descriptors.limits)
        #expect(after.hard == before.hard)
        #expect(after.soft == max(before.soft, min(after.hard, ThreadingLimits.descriptorsMax)))
    }

    @Test func aWatchLooksAtOnceAndThenEveryFiveSeconds() {
        var watch = DescriptorWatch()
        let start = Instant(nanoseconds: 1_000_000_000)
        #expect(watch.look(now: start) != nil)
        #expect(watch.look(now: start.advanced(by: .milliseconds(4_999))) == nil)
        #expect(watch.nextLook == start.advanced(by: .seconds(5)))
        #expect(watch.look(now: start.advanced(by: .seconds(5))) != nil)
    }
}
