import CacheLoading
import CacheModel
import Testing

/// What an origin is asked by POST.
@Suite struct BodyTemplateTests {
    private static let form = "application/x-www-form-urlencoded; charset=utf-8"

    private func body(
        _ text: String, _ key: [UInt8], contentType: String? = nil
    ) throws -> String? {
        let key = try #require(CacheKey(bytes: key))
        return try BodyTemplate(parsing: text, contentType: contentType)
            .body(of: key, in: .default).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            (#"{"id":"{key}"}"#, "7", #"{"id":"7"}"#),
            (#"{"id":"a-{key}-{namespace}"}"#, "ä", #"{"id":"a-ä-default"}"#),
            (
                #"{"query":"{ user(id: $id) { name } }","variables":{"id":"{key}"}}"#, "{key}",
                #"{"query":"{ user(id: $id) { name } }","variables":{"id":"{key}"}}"#
            ),
            (#"{"a":"\"b\"{key}","b":"\\{key}"}"#, "x", #"{"a":"\"b\"x","b":"\\x"}"#),
            (#"["{key}{key}"]"#, "\"\\\n\u{1}", #"["\"\\\n\u0001\"\\\n\u0001"]"#),
            ("{}", "7", "{}"),
        ])
    func aKeyIsEscapedForItsString(template: String, key: String, expected: String) throws {
        #expect(try body(template, Array(key.utf8)) == expected)
    }

    @Test func noKeyEndsItsString() throws {
        let template = #"{"id":"{key}"}"#
        for byte in UInt8.min..<0x80 {
            let text = try #require(try body(template, [byte, UInt8(ascii: "\""), byte]))
            var isInside = false
            var isEscaped = false
            var strings = 0
            for unit in text.utf8 {
                if isEscaped {
                    isEscaped = false
                } else if isInside, unit == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if unit == UInt8(ascii: "\"") {
                    isInside.toggle()
                    strings += isInside ? 1 : 0
                }
            }
            #expect(strings == 2 && !isInside && text.hasSuffix("\"}"), "byte \(byte)")
        }
    }

    @Test func aKeyThatIsNoTextStandsInAFormOnly() throws {
        #expect(try body(#"{"id":"{key}"}"#, [0xFF, 0x41]) == nil)
        #expect(try body("id={key}&n=1", [0xFF, 0x41], contentType: Self.form) == "id=%FFA&n=1")
        #expect(
            try body("id={key}", Array("a&b=c d".utf8), contentType: Self.form)
                == "id=a%26b%3Dc%20d")
    }

    @Test func whatNamesTheKeyIsKnown() throws {
        #expect(try BodyTemplate(parsing: #"{"id":"{key}"}"#, contentType: nil).hasKey)
        #expect(try !BodyTemplate(parsing: #"{"id":"{namespace}"}"#, contentType: nil).hasKey)
    }

    @Test(
        arguments: [
            ("", nil, .empty), (#"{"id":{key}}"#, nil, .placeholderOutsideString),
            (#"{"id":"7"}{key}"#, nil, .placeholderOutsideString),
            (#"{"id":"\{key}"}"#, nil, .placeholderOutsideString),
            (#"{"id":"\\\{key}"}"#, nil, .placeholderOutsideString),
            (#"{"query":"{ user(id: \"{key}\") { name } }"}"#, nil, .placeholderOutsideString),
            (#"{"id":"{key}}"#, nil, .stringUnfinished),
            ("<id>{key}</id>", "text/xml", .contentTypeUnknown("text/xml")),
            ("{key}", "application/json", .placeholderOutsideString),
            (String(repeating: "x", count: 32_769), nil, .tooLong(bytes: 32_769)),
        ] as [(String, String?, BodyTemplateError)])
    func whatIsWrongIsNamed(text: String, contentType: String?, error: BodyTemplateError) {
        #expect(throws: error) { try BodyTemplate(parsing: text, contentType: contentType) }
        #expect(!error.description.contains("\n") && error.description.contains(": "))
    }

    @Test(arguments: ["application/json; charset=utf-8", "Application/GraphQL-Response+JSON"])
    func everyKindOfJSONIsJSON(contentType: String) throws {
        #expect(try body(#"{"id":"{key}"}"#, [0x22], contentType: contentType) == #"{"id":"\""}"#)
    }
}
