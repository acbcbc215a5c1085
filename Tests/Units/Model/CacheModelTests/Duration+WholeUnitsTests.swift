import CacheModel
import Testing

@Suite struct DurationWholeUnitsTests {
    @Test(
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(999), 999),
            (.microseconds(1), 1_000), (.milliseconds(1), 1_000_000), (.seconds(1), 1_000_000_000),
            (.seconds(2) + .nanoseconds(5), 2_000_000_005),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
            (Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999), 1),
        ] as [(Duration, UInt64)])
    func nanosecondsAreCutToWholeOnes(duration: Duration, whole: UInt64) {
        #expect(duration.wholeNanoseconds == whole)
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(999_999), 0), (.milliseconds(1), 1),
            (.microseconds(1_999), 1), (.seconds(1), 1_000), (.seconds(3_600), 3_600_000),
        ] as [(Duration, UInt64)])
    func millisecondsAreCutToWholeOnes(duration: Duration, whole: UInt64) {
        #expect(duration.wholeMilliseconds == whole)
    }

    @Test(
        arguments: [
            .nanoseconds(-1), .milliseconds(-1), .seconds(-1), .seconds(Int64.min),
            Duration(secondsComponent: 0, attosecondsComponent: -1),
        ] as [Duration])
    func lessThanNothingIsNothing(duration: Duration) {
        #expect(duration.wholeNanoseconds == 0)
        #expect(duration.wholeMilliseconds == 0)
    }

    @Test func whatDoesNotFitIsClamped() {
        let greatest = Duration.seconds(18_446_744_073) + .nanoseconds(709_551_615)
        #expect(greatest.wholeNanoseconds == .max)
        #expect((greatest - .nanoseconds(1)).wholeNanoseconds == UInt64.max - 1)
        #expect((greatest + .nanoseconds(1)).wholeNanoseconds == .max)
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == UInt64.max / 1_000_000)
    }
}
