import CacheWorkload
import Testing

@Suite struct TraceTimeTests {
    private static func nanoseconds(_ text: String, _ unit: TraceTime) -> Int64? {
        Array(text.utf8).withUnsafeBytes { unit.nanoseconds($0) }
    }

    @Test(
        arguments: [
            ("0", 0), ("17", 17_000_000_000), ("-0.25", -250_000_000), ("+3", 3_000_000_000),
            ("1.6e3", 1_600_000_000_000), ("1E-3", 1_000_000), (".5", 500_000_000),
            ("5.", 5_000_000_000),
            ("1700000000.123456789", 1_700_000_000_123_456_789), ("0.0000000019", 1),
            ("000000000000000000000000000001", 1_000_000_000), ("0e300", 0), ("1e-300", 0),
        ] as [(String, Int64)])
    func secondsAreReadExactly(text: String, nanoseconds: Int64) {
        #expect(Self.nanoseconds(text, .seconds) == nanoseconds)
    }

    @Test func unitsDiffer() {
        #expect(Self.nanoseconds("1.5", .milliseconds) == 1_500_000)
        #expect(Self.nanoseconds("1.5", .microseconds) == 1_500)
        #expect(Self.nanoseconds("1.5", .nanoseconds) == 1)
    }

    @Test(arguments: [
        "", "-", ".", "e3", "1e", "1e+", "1.2.3", "1 ", " 1", "0x10", "nan", "1e1000", "1e30",
        "9223372036854775808", "--1",
    ])
    func whatIsNoNumberOfNanosecondsIsNone(text: String) {
        #expect(Self.nanoseconds(text, .seconds) == nil)
    }
}
