import CommandSurface
import Testing

@testable import martlet

@Suite struct FigureTextTests {
    @Test(arguments: [
        (0, "0B"), (812, "812B"), (1_023, "1023B"), (1_024, "1KiB"), (1_536, "1.5KiB"),
        (12_595, "12.3KiB"), (1_048_575, "1MiB"), (256 << 20, "256MiB"), (1 << 40, "1TiB"),
        (UInt64.max, "16384PiB"),
    ])
    func aSizeHasAtMostOneDigitAfterThePoint(bytes: UInt64, text: String) {
        #expect(FigureText.size(bytes) == text)
    }

    @Test(arguments: [
        (Duration.zero, "0ms"), (.milliseconds(340), "340ms"), (.milliseconds(2_960), "2.9s"),
        (.seconds(59), "59s"), (.seconds(60), "1m"), (.seconds(250), "4m10s"),
        (.seconds(12_000), "3h20m"), (.seconds(86_400), "1d"), (.seconds(446_400), "5d4h"),
    ])
    func aTimeHasAtMostTwoUnitsAndIsNeverRoundedUp(duration: Duration, text: String) {
        #expect(FigureText.timeLeft(duration) == text)
    }

    @Test func withoutAnEndThereIsNone() {
        #expect(FigureText.timeLeft(nil) == "none")
    }

    @Test func millisecondsShowTheirMicroseconds() {
        #expect(FigureText.milliseconds(.microseconds(5)) == "0.005")
        #expect(FigureText.milliseconds(.microseconds(12_340)) == "12.340")
    }

    @Test func aRatioWithoutDataIsADash() {
        #expect(FigureText.ratio(nil) == "–")
        #expect(FigureText.ratio(0) == "0%")
        #expect(FigureText.ratio(0.9731) == "97.3%")
        #expect(FigureText.ratio(1) == "100%")
    }

    @Test func oneIsNotMany() {
        #expect(FigureText.count(1, "key") == "1 key")
        #expect(FigureText.count(0, "entry", "entries") == "0 entries")
    }

    @Test func aBarIsDrawnInEighths() {
        #expect(FigureText.bar(0, width: 24) == "")
        #expect(FigureText.bar(1, width: 24) == String(repeating: "█", count: 24))
        #expect(FigureText.bar(0.5 / 24, width: 24) == "▌")
    }
}
