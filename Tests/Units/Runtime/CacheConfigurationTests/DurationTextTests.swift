import CacheConfiguration
import Testing

@Suite struct DurationTextTests {
    private static let good: [(String, Duration)] = [
        ("0s", .zero), ("1us", .microseconds(1)), ("250ms", .milliseconds(250)),
        ("5s", .seconds(5)), ("10m", .seconds(600)), ("7d", .seconds(604_800)),
        ("25h", .seconds(90_000)), ("61s", .seconds(61)), ("1500ms", .milliseconds(1_500)),
        ("36500d", .seconds(3_153_600_000)),
    ]

    @Test(arguments: good)
    func aLengthOfTimeIsReadAndWrittenAlike(text: String, duration: Duration) throws {
        #expect(try DurationText.parse(text) == duration)
        #expect(DurationText.format(duration) == text)
    }

    @Test func theLongestExactUnitIsChosen() {
        #expect(DurationText.format(.seconds(86_400)) == "1d")
        #expect(DurationText.format(.seconds(3_600)) == "1h")
        #expect(DurationText.format(.milliseconds(60_000)) == "1m")
        #expect(DurationText.format(nil) == "none")
        #expect(DurationText.format(.nanoseconds(1_999)) == "1us")
        #expect(DurationText.format(.nanoseconds(999)) == "0s")
        #expect(DurationText.format(.seconds(Int64.max)) == "9223372036854775807s")
    }

    @Test(arguments: [
        "", "s", "5", "-5s", "+5s", "5 s", " 5s", "5s ", "1.5s", "5S", "5sec", "1h30m", "5\u{66B}s",
        "٥s", "none", "99999999999999999999s", "18446744073709551615d", "106751992d",
    ])
    func whatIsNoLengthOfTimeIsRefused(text: String) {
        #expect(throws: TextProblem.self) { try DurationText.parse(text) }
    }

    @Test func aRefusalSaysWhatToWrite() {
        #expect(problem("5") == "\"5\" has no unit; write 5s if seconds are meant")
        #expect(
            problem("1.5s")
                == "\"1.5s\" is not a length of time; write a whole number and its unit, "
                + "such as 250ms, 5s, 10m, 24h or 7d")
        #expect(problem("20ms") == "\"20ms\" is too short; give 100ms to 1m, or none")
        #expect(problem("61s") == "\"61s\" is too long; give 100ms to 1m, or none")
        #expect(problem("100ms") == nil)
        #expect(problem("1m") == nil)
        #expect(problem("none") == nil)
    }

    private func problem(_ text: String) -> String? {
        do throws(TextProblem) {
            _ = try DurationText.parseOptional(text, in: .milliseconds(100) ... .seconds(60))
            return nil
        } catch {
            let bare = text == "5" || text == "1.5s"
            return bare ? String(error.sentence.dropLast(", or none".count)) : error.sentence
        }
    }
}
