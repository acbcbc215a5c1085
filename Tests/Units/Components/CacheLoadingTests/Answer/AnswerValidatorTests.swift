import CacheModel
import Testing

@testable import CacheLoading

/// By what a value is asked about, and what a 304 confirms.
@Suite struct AnswerValidatorTests {
    static let longest = "\"" + String(repeating: "e", count: 253) + "\""
    static let tooLong = "\"" + String(repeating: "e", count: 254) + "\""

    static let tags: [(line: String, validator: String?)] = [
        ("ETag: \"e\"", "\"e\""),
        ("etag: \"e\" ", "\"e\""),
        ("ETag: W/\"e\"", "W/\"e\""),
        ("ETag: \"\"", "\"\""),
        ("ETag: W/\"\"", "W/\"\""),
        ("ETag: \"a,b;c\\d!#~\"", "\"a,b;c\\d!#~\""),
        ("ETag: \"ä\"", "\"ä\""),
        ("ETag: \(longest)", longest),
        ("ETag: \(tooLong)", nil),
        ("ETag:", nil),
        ("ETag: e", nil),
        ("ETag: \"", nil),
        ("ETag: W/\"", nil),
        ("ETag: W/", nil),
        ("ETag: \"e", nil),
        ("ETag: e\"", nil),
        ("ETag: w/\"e\"", nil),
        ("ETag: W \"e\"", nil),
        ("ETag: 'e'", nil),
        ("ETag: \"a\"b\"", nil),
        ("ETag: \"a\", \"b\"", nil),
        ("ETag: \"a b\"", nil),
        ("ETag: \"a\tb\"", nil),
        ("ETag: \"a\u{0}b\"", nil),
        ("ETag: \"a\u{7F}b\"", nil),
        ("ETag: \"a\r\nX: b\"", nil),
        // Bytes that were no UTF-8: another text than was sent.
        ("ETag: \"a\u{FFFD}\"", nil),
    ]

    @Test(arguments: tags)
    func anETagIsTwoQuotesWithSomethingBetween(line: String, validator: String?) throws {
        let facts = try AnswerSample.facts(line)
        #expect(facts.validator == validator.flatMap { Validator($0) })
        #expect(facts.mayStore)
        let dated = try AnswerSample.facts("Last-Modified: \(today)", line)
        #expect(dated.validator == Validator(validator ?? today))
    }

    static let dates: [(text: String, isOne: Bool)] = [
        (today, true),
        ("Sunday, 06-Nov-94 08:49:37 GMT", true),
        ("Sun Nov  6 08:49:37 1994", true),
        ("sun, 06 nov 1994 08:49:37 gmt", true),
        ("", false),
        ("0", false),
        ("1994-11-06T08:49:37Z", false),
        ("Sun, 31 Feb 1994 08:49:37 GMT", false),
        ("Sun, 06 Nov 1994 08:49:37", false),
        ("Sun, 06 Nov 1994 08:49:37 GMT, x", false),
    ]

    @Test(arguments: dates)
    func aLastModifiedIsADateAndKeptAsItIsWritten(text: String, isOne: Bool) throws {
        let facts = try AnswerSample.facts("Last-Modified:  \(text) ")
        #expect(facts.validator == (isOne ? Validator(text) : nil))
    }

    @Test func linesThatDifferSayNothing() throws {
        let same = try AnswerSample.facts("ETag: \"a\"", "ETag: \"a\"")
        #expect(same.validator == Validator("\"a\""))
        let different = try AnswerSample.facts("ETag: \"a\"", "ETag: W/\"a\"")
        #expect(different.validator == nil)
        let dates = try AnswerSample.facts(
            "Last-Modified: \(today)", "Last-Modified: Sun, 06 Nov 1994 08:49:38 GMT")
        #expect(dates.validator == nil)
    }

    // MARK: The request

    static let conditions: [(validator: [UInt8], field: OriginField?)] = [
        ("\"e\"", "If-None-Match"), ("W/\"e\"", "If-None-Match"), ("\"\"", "If-None-Match"),
        (longest, "If-None-Match"), ("\"ä\"", "If-None-Match"), (today, "If-Modified-Since"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "If-Modified-Since"),
        ("Sun Nov  6 08:49:37 1994", "If-Modified-Since"),
        ("e", nil), ("\"", nil), ("W/", nil), ("w/\"e\"", nil), ("v1", nil), ("*", nil),
        ("\"a\", \"b\"", nil), ("\"a b\"", nil), ("\"a\"\r\nX: \"b\"", nil), ("\"\u{0}\"", nil),
        (" \"e\"", nil), ("\"e\" ", nil), ("\(today) ", nil), ("\(today)\r\nX: y", nil),
        ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
    ].map { text, name in
        (Array(text.utf8), name.map { OriginField(name: $0, value: text) })
    }

    @Test(arguments: conditions)
    func aValidatorBecomesAFieldOrNothing(validator: [UInt8], field: OriginField?) throws {
        #expect(try #require(Validator(bytes: validator)).condition == field)
    }

    @Test func bytesThatAreNoTextAreNotSent() throws {
        let bytes: [UInt8] = [0x22, 0xC3, 0x28, 0x22]
        #expect(try #require(Validator(bytes: bytes)).condition == nil)
    }

    /// Whatever is taken from an answer can be sent back, letter by letter.
    @Test(arguments: tags.map(\.line) + dates.map { "Last-Modified: \($0.text)" })
    func whatIsReadCanBeAskedBy(line: String) throws {
        guard let validator = try AnswerSample.facts(line).validator else { return }
        #expect(validator.condition?.value == validator.description)
    }

    // MARK: 304

    static let confirmations: [(asked: String?, lines: [String], isOne: Bool)] = [
        ("\"e\"", [], true),
        ("\"e\"", ["ETag: \"e\""], true),
        ("\"e\"", ["ETag: W/\"e\""], true),
        ("W/\"e\"", ["ETag: \"e\""], true),
        ("\"e\"", ["Last-Modified: \(today)"], true),
        ("\"e\"", ["ETag: e"], true),
        ("\"e\"", ["ETag: \"f\"", "ETag: \"g\""], true),
        ("\"e\"", ["ETag: \"f\""], false),
        ("\"e\"", ["ETag: W/\"f\""], false),
        ("W/\"e\"", ["ETag: W/\"E\""], false),
        (today, [], true),
        (today, ["Last-Modified: \(today)"], true),
        (today, ["Last-Modified: Sun, 06 Nov 1994 08:49:30 GMT"], true),
        (today, ["ETag: \"e\""], true),
        (nil, [], false),
        (nil, ["ETag: \"e\""], false),
        ("v1", [], false),
        ("v1", ["ETag: \"v1\""], false),
    ]

    @Test(arguments: confirmations)
    func notModifiedConfirmsWhatWasAskedAbout(asked: String?, lines: [String], isOne: Bool) throws {
        let answer = try AnswerSample(status: 304, lines: lines, asked: asked).read()
        var facts = LoadedFacts()
        facts.validator = asked.flatMap { Validator($0) }
        #expect(answer == (isOne ? .unchanged(facts) : .failed(.malformed, retryAfter: nil)))
    }

    @Test func notModifiedBringsNewFacts() throws {
        var sample = AnswerSample(
            status: 304,
            lines: ["Cache-Control: max-age=9", "Surrogate-Key: a", "X-Version: 7", "Age: 2"],
            asked: "\"e\"")
        sample.policy.versionField = "X-Version"
        let facts = try sample.facts()
        #expect(facts.lifetime == .seconds(7))
        #expect(facts.age == .seconds(2))
        #expect(facts.tags == [try #require(Tag("a"))])
        #expect(facts.version == Version(7))
        #expect(facts.validator == Validator("\"e\""))
    }

    @Test func aNewValueHasItsOwnValidatorWhateverWasAsked() throws {
        let other = try AnswerSample(lines: ["ETag: \"f\""], asked: "\"e\"").facts()
        #expect(other.validator == Validator("\"f\""))
        let none = try AnswerSample(asked: "\"e\"").facts()
        #expect(none.validator == nil)
    }
}
