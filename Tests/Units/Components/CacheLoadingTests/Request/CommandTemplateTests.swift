import CacheLoading
import CacheModel
import Testing

@Suite struct CommandTemplateTests {
    private func arguments(
        _ words: [String], _ key: String, in namespace: String = "n"
    ) throws -> [String]? {
        let key = try #require(CacheKey(key))
        let namespace = try #require(Namespace(namespace))
        return try CommandTemplate(words).arguments(for: key, in: namespace)?
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aKeyStandsWhereItsPlaceholderDoes() throws {
        let words = ["cat", "/data/{namespace}/{key}.json", "{other}", "{key}{key}"]
        #expect(try arguments(words, "7") == ["/data/n/7.json", "{other}", "77"])
        #expect(try arguments(["jq", ".{key}|{a: .b}"], "x") == [".x|{a: .b}"])
        #expect(try arguments(["cat", "{key}"], "a; rm -rf ‘$HOME’") == ["a; rm -rf ‘$HOME’"])
        #expect(try arguments(["cat", "{key}"], "{key}{namespace}") == ["{key}{namespace}"])
    }

    @Test func everyByteButNULGoesThrough() throws {
        let template = try CommandTemplate(["cat", "x{key}"])
        for byte in UInt8.min...UInt8.max {
            let key = try #require(CacheKey(bytes: [byte]))
            let expected: [[UInt8]]? = byte == 0 ? nil : [[UInt8(ascii: "x"), byte]]
            #expect(template.arguments(for: key, in: .default) == expected)
        }
    }

    @Test(arguments: ["..", "../x", "a/../b", "a/.", "."])
    func aKeyThatClimbsIsRefused(key: String) throws {
        #expect(try arguments(["cat", "/data/{key}"], key) == nil)
        #expect(try arguments(["cat", "{key}"], key) == nil)
    }

    @Test func aKeyIsNoOption() throws {
        #expect(try arguments(["grep", "{key}"], "-f") == nil)
        #expect(try arguments(["grep", "{namespace}", "{key}"], "k", in: "-f") == nil)
        #expect(try arguments(["grep", "--", "{key}"], "-f") == ["--", "-f"])
        #expect(try arguments(["grep", "-e{key}"], "-f") == ["-e-f"])
        #expect(try arguments(["grep", "x", "{key}", "--"], "-f") == nil)
    }

    @Test(
        arguments: [
            ([], .empty), ([""], .empty), (["./cat", "{key}"], .programRelative),
            (["bin/cat", "{key}"], .programRelative), (["{key}"], .placeholderInProgram),
            (["/bin/{namespace}", "{key}"], .placeholderInProgram), (["cat"], .keyMissing),
            (["cat", "{kee}"], .keyMissing), (["cat", "{namespace}"], .keyMissing),
            (["cat", "a\u{0}{key}"], .nul), (["cat", "../{key}"], .dotSegment),
        ] as [([String], CommandTemplateError)])
    func whatIsWrongIsNamed(words: [String], error: CommandTemplateError) {
        #expect(throws: error) { try CommandTemplate(words) }
        #expect(!error.description.contains("\n") && error.description.contains(": "))
    }
}
