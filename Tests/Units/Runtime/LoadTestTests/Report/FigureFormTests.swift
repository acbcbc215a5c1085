import Testing

@testable import LoadTest

@Suite struct FigureFormTests {
    @Test(arguments: [
        (0, "0 ns"), (850, "850 ns"), (999, "999 ns"), (1_000, "1 µs"), (1_844, "1.84 µs"),
        (9_996, "10.0 µs"), (99_960, "100 µs"), (999_499, "999 µs"), (999_500, "1.00 ms"),
        (1_500_000, "1.50 ms"), (60_000_000_000, "60 s"), (3_600_000_000_000, "3600 s"),
    ])
    func aLatencyHasThreeDigits(nanoseconds: UInt64, text: String) {
        #expect(FigureForm.latency(nanoseconds) == text)
    }

    @Test(arguments: [
        (0.0, "0.00 %"), (0.00001, "< 0.01 %"), (0.5, "50.00 %"), (0.99999, "> 99.99 %"),
        (1, "100.00 %"),
    ])
    func somethingIsNeverNothingAndNearlyAllIsNeverAll(share: Double, text: String) {
        #expect(FigureForm.share(share) == text)
    }

    @Test func whatIsNotKnownIsADash() {
        #expect(FigureForm.latency(nil) == "–")
        #expect(FigureForm.rate(nil) == "–")
        #expect(FigureForm.share(nil) == "–")
        #expect(FigureForm.short(nil) == "–")
    }

    @Test(arguments: [
        (0.0, "0"), (0.5, "0.50"), (99.9, "99.9"), (99.95, "100"), (1_234_567.4, "1 234 567"),
    ])
    func aRateIsGrouped(rate: Double, text: String) {
        #expect(FigureForm.rate(rate) == text)
    }

    @Test func shortCountsAndPlainNumbers() {
        #expect(
            [0, 999, 1_000, 184_000, 999_600, 2e6].map { FigureForm.short($0) }
                == ["0", "999", "1 k", "184 k", "1 M", "2 M"])
        #expect(
            [50, 99.9, 99.999, 0.5, 0, 100].map(FigureForm.plain)
                == ["50", "99.9", "99.999", "0.5", "0", "100"])
    }

    @Test func aMomentOfTheCalendarIsInUTC() {
        #expect(WallTime(milliseconds: 0).text == "1970-01-01 00:00:00Z")
        #expect(WallTime(milliseconds: 1_709_210_096_789).text == "2024-02-29 12:34:56Z")
    }
}
