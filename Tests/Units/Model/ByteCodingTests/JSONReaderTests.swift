import Testing

@testable import ByteCoding

@Suite struct JSONReaderTests {
    private static func read(_ text: String) -> JSONDocument? {
        try? JSONReader.read(Array(text.utf8))
    }

    @Test(arguments: [
        ("null", "null"), (" true ", "true"), ("false", "false"), ("0", "0"), ("-0", "0"),
        ("-12", "-12"), ("18446744073709551615", "18446744073709551615"), ("1.5e2", "150"),
        ("[]", "[]"), ("[1, [2]]", "[1,[2]]"), ("{}", "{}"),
        ("{\"a\" : \"b\"}", "{\"a\":\"b\"}"), ("\"\\u00e4\\n\\\"\\/\"", "\"ä\\n\\\"/\""),
        ("\"\\ud83d\\ude00\"", "\"😀\""), ("\"\\u0001\"", "\"\\u0001\""),
        ("\"\\u007f\"", "\"\\u007f\""),
    ])
    func whatIsReadIsWrittenTheSame(text: String, line: String) {
        #expect(Self.read(text)?.line == line)
    }

    /// As a `Double` the first would be 9007199254740992.
    @Test(arguments: [
        ("9007199254740993.0", "9007199254740993"), ("9007199254740993e0", "9007199254740993"),
        ("1844674407370955161.5e1", "18446744073709551615"),
        (
            "-9223372036854775808.000",
            "-9223372036854775808"
        ), ("0e999999999999", "0"), ("-0.0", "0"), ("120e-1", "12"),
        ("0.00012e5", "12"), ("1e19", "10000000000000000000"), ("1.25", "1.25"), ("1e-1", "0.1"),
    ])
    func aWholeNumberKeepsEveryDigitHoweverItIsWritten(text: String, line: String) {
        #expect(Self.read(text)?.line == line)
    }

    @Test(arguments: ["18446744073709551616", "1e20", "-1e19", "9007199254740993e3000000000"])
    func whatIsNoWholeNumberOfSixtyFourBitsIsNone(text: String) {
        for case .integer? in [Self.read(text)] { Issue.record("\(text) is an integer") }
        for case .unsigned? in [Self.read(text)] { Issue.record("\(text) is an integer") }
    }

    @Test(arguments: [
        "", " ", "nul", "tru", "01", "1.", "1e", "-", "+1", ".5", "1e999", "\"", "\"\\x\"",
        "\"\\u12\"", "\"\\ud83d\"", "\"\\ud83d\\u0041\"", "\"\\udc00\"", "\"\u{1}\"", "[", "[1",
        "[1,]", "[,]", "{", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "{\"a\":1 \"b\":2}",
        "1 2",
        "{\"a\":1,\"a\":2}", "'a'", "NaN", "\"\\u+123\"", "[1}",
    ])
    func whatIsNoJSONIsRefused(text: String) {
        #expect(Self.read(text) == nil)
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(throws: JSONReader.Damage.self) { try JSONReader.read([0x22, 0xFF, 0x22]) }
    }

    @Test func depthHasABound() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(Self.read(nested(JSONReader.depthMax)) != nil)
        #expect(Self.read(nested(JSONReader.depthMax + 1)) == nil)
        #expect(Self.read(String(repeating: "[", count: 1_000_000)) == nil)
    }

    @Test func everyCutOfADocumentIsRefused() {
        let text = "{\"keys\":[\"a\\u00e4\",{\"base64\":\"/w==\"}],\"n\":-1.5e3,\"t\":true}"
        #expect(Self.read(text) != nil)
        for length in 0..<text.utf8.count {
            #expect((try? JSONReader.read(Array(text.utf8.prefix(length)))) == nil)
        }
    }

    @Test func everyByteOfBase64ComesBack() {
        for length in 0...5 {
            for byte in UInt8.min...UInt8.max {
                let bytes = [UInt8](repeating: byte, count: length)
                #expect(Base64Text.bytes(of: Base64Text.text(of: bytes)) == bytes)
            }
        }
        #expect(Base64Text.text(of: Array("Martlet".utf8)) == "TWFydGxldA==")
        for text in ["a", "ab", "abc", "a===", "ab=c", "====", "ab\n=", "QQ==QQ==", "QR=="] {
            #expect(Base64Text.bytes(of: text) == nil, "\(text)")
        }
    }
}
