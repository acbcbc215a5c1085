import Testing

@testable import ByteCoding

/// Lists of strings among structured fields: RFC 9651.
@Suite struct StringListReaderTests {
    static func strings(
        _ lines: [String], _ parameters: StringListReader.Parameters = .checked
    ) -> [String]? {
        let read = StringListReader.strings(in: lines.map { FieldText($0) }, parameters)
        return read?.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    static let lists: [(lines: [String], strings: [String])] = [
        ([], []),
        ([""], []),
        (["   "], []),
        (["\"\""], [""]),
        (["\"a\""], ["a"]),
        (["  \"a\"  "], ["a"]),
        (["\"a\",\"b\""], ["a", "b"]),
        (["\"a\" \t,\t \"b\""], ["a", "b"]),
        (["\"a\"", "\"b\", \"c\""], ["a", "b", "c"]),
        (["\"a,b;c\""], ["a,b;c"]),
        (["\"\\\\\\\"\""], ["\\\""]),
        // A string goes on over two lines: they are one.
        (["\"a", "b\""], ["a, b"]),
    ]

    @Test(arguments: lists)
    func aListOfStringsIsRead(lines: [String], strings: [String]) {
        #expect(Self.strings(lines) == strings)
    }

    static let parameters = [
        ";a", "; a", ";*a", ";a;b", ";a=1", ";a=-1", ";a=123456789012345", ";a=1.5",
        ";a=-123456789012.123", ";a=\"x;y\"", ";a=tok", ";a=*t:o/k!", ";a=:aGk=:", ";a=::",
        ";a=?0", ";a=?1", ";a=@0", ";a=@-1659578233", ";a=%\"x%c3%bcy\"", ";a=%\"\"",
        ";a_b-c.d*9=1;e=2",
    ]

    @Test(arguments: parameters)
    func parametersAreReadPast(parameter: String) {
        #expect(Self.strings(["\"a\"\(parameter), \"b\""]) == ["a", "b"])
    }

    static let malformed = [
        "a", "1", "?1", ":aGk=:", "(\"a\")", "(\"a\" \"b\"), \"c\"", "\"a\", (\"b\")",
        "\"", "\"a", "\"a\" \"b\"", "\"a\"b", "\"a\",", "\"a\", ", ",", ",\"a\"", "\"a\",,\"b\"",
        "\"a\", b", "\"\\a\"", "\"\\", "\"a\\\"", "\"a\tb\"", "\"a\u{7F}\"", "\"ä\"",
        "'a'", "\u{FEFF}\"a\"",
        "\"a\";", "\"a\";A", "\"a\";1", "\"a\" ;b", "\"a\";\tb", "\"a\";b=", "\"a\";b= 1",
        "\"a\";b =1",
        "\"a\";b=1.", "\"a\";b=1.1234", "\"a\";b=.5", "\"a\";b=-", "\"a\";b=--1",
        "\"a\";b=1234567890123456", "\"a\";b=1234567890123.1", "\"a\";b=\"", "\"a\";b=:a",
        "\"a\";b=:a b:", "\"a\";b=?2", "\"a\";b=?", "\"a\";b=@", "\"a\";b=@1.5", "\"a\";b=@x",
        "\"a\";b=%", "\"a\";b=%a", "\"a\";b=%\"%C3\"", "\"a\";b=%\"%c\"", "\"a\";b=%\"a",
        "\"a\";b=(1)", "\"a\";b={}", "\"a\";b=ä",
    ]

    @Test(arguments: malformed)
    func whatIsMalformedIsNothingAsAWhole(text: String) {
        #expect(Self.strings([text]) == nil)
        #expect(Self.strings(["\"x\"", text]) == nil)
        #expect(Self.strings([text, "\"x\""]) == nil)
    }

    /// A request may have anything without a quote before a comma. An answer may have a string
    /// there, as a parameter.
    @Test(
        arguments: [
            ("\"a\";A, \"b\"", nil, ["a", "b"]), ("\"a\" b c=, \"b\"", nil, ["a", "b"]),
            ("\"a\";b=(1)", nil, ["a"]), ("\"a\";b=\"x\"", ["a"], nil),
            ("\"a\";b=1, \"b\"", ["a", "b"], ["a", "b"]), ("\"a\" \"b\"", nil, nil),
            ("\"a\", b", nil, nil), ("\"a\",", nil, nil), ("", [], []),
        ] as [(String, [String]?, [String]?)])
    func parametersOfARequestAreNotChecked(text: String, answer: [String]?, request: [String]?) {
        #expect(Self.strings([text], .checked) == answer)
        #expect(Self.strings([text], .skipped) == request)
    }

    @Test(arguments: ["", "a", "a, b", "\\", "\"", "a \\\"b"])
    func aStringThatIsWrittenIsReadTheSame(string: String) {
        for parameters in [StringListReader.Parameters.checked, .skipped] {
            #expect(Self.strings([StringListReader.text(of: string)], parameters) == [string])
        }
    }

    /// As the RFC has it: an empty line between others is an empty member.
    @Test func anEmptyLineAmongOthersIsMalformed() {
        #expect(Self.strings(["\"a\"", "", "\"b\""]) == nil)
    }

    /// Every beginning of a list with one of everything is read, or is nothing; none of them traps.
    @Test func everyBeginningOfAListIsAListOrNothing() {
        let text = "\"a\\\"\";x=1.5;y=\"z\";b=:aGk=:, \"b\";t=@1;u=?1;v=%\"%c3\" , \"c\";*w=*/:"
        for count in 0...text.utf8.count {
            let whole = String(text.prefix(count))
            let strings = Self.strings([whole])
            #expect(strings == nil || ["a\"", "b", "c"].starts(with: strings ?? []))
        }
        #expect(Self.strings([text]) == ["a\"", "b", "c"])
    }
}
