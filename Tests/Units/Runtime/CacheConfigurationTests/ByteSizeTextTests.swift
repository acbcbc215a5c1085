import CacheConfiguration
import Testing

@Suite struct ByteSizeTextTests {
    private static let good: [(String, Int)] = [
        ("0B", 0), ("100B", 100), ("1KiB", 1_024), ("1000B", 1_000), ("64MiB", 64 << 20),
        ("3GiB", 3 << 30), ("16TiB", 16 << 40), ("1025KiB", 1_049_600),
        ("9223372036854775807B", .max),
    ]

    @Test(arguments: good)
    func aSizeIsReadAndWrittenAlike(text: String, bytes: Int) throws {
        #expect(try ByteSizeText.parse(text) == bytes)
        #expect(ByteSizeText.format(bytes) == text)
    }

    @Test func decimalUnitsAreReadToo() throws {
        #expect(try ByteSizeText.parse("64KB") == 64_000)
        #expect(try ByteSizeText.parse("64kB") == 64_000)
        #expect(try ByteSizeText.parse("64MB") == 64_000_000)
        #expect(try ByteSizeText.parse("2GB") == 2_000_000_000)
        #expect(try ByteSizeText.parse("1TB") == 1_000_000_000_000)
        #expect(ByteSizeText.format(64_000_000) == "62500KiB")
    }

    @Test(arguments: [
        "", "MiB", "64", "-1B", "1.5GiB", "64 MiB", "64mib", "64M", "64MiBs", "1%",
        "9223372036854775808B", "8388608TiB", "99999999999999999999B",
    ])
    func whatIsNoSizeIsRefused(text: String) {
        #expect(throws: TextProblem.self) { try ByteSizeText.parse(text) }
    }

    @Test(arguments: [
        ("64", "\"64\" has no unit; write 64B if bytes are meant"),
        ("0B", "\"0B\" is too small; give 1B to 64MiB"),
        ("65MiB", "\"65MiB\" is too large; give 1B to 64MiB"),
        (
            "64 MiB",
            "\"64 MiB\" is not a size; write a whole number and its unit, such as "
                + "100B, 64KiB, 256MiB or 1GiB"
        ),
    ])
    func aRefusalSaysWhatToWrite(text: String, sentence: String) {
        #expect(throws: TextProblem(sentence)) { try ByteSizeText.parse(text, in: 1...(64 << 20)) }
    }
}
