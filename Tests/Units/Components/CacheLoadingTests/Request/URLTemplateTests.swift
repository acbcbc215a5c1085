import CacheLoading
import CacheModel
import Testing

@Suite struct URLTemplateTests {
    private static let unreserved = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)

    /// The target of `key`, or `nil` if it is refused.
    private func target(_ url: String, _ key: [UInt8], in namespace: String = "people") throws
        -> String?
    {
        let key = try #require(CacheKey(bytes: key))
        let namespace = try #require(Namespace(namespace))
        return try URLTemplate(parsing: url).target(of: key, in: namespace)
    }

    private func target(_ url: String, _ key: String) throws -> String? {
        try target(url, Array(key.utf8))
    }

    // MARK: Filling in

    @Test func aKeyStandsWhereItsPlaceholderDoes() throws {
        #expect(try target("https://h/users/{key}", "7") == "/users/7")
        #expect(try target("https://h/{namespace}/{key}.json", "7") == "/people/7.json")
        #expect(try target("https://h/u?id={key}&of={namespace}", "7") == "/u?id=7&of=people")
        #expect(try target("https://h/{key}/{key}?{key}={key}", "7") == "/7/7?7=7")
        #expect(try target("https://h?id={key}", "7") == "/?id=7")
    }

    @Test func everyByteThatIsNotUnreservedIsEscaped() throws {
        for byte in UInt8.min...UInt8.max {
            let digits = String(byte, radix: 16, uppercase: true)
            let escaped = "%" + String(repeating: "0", count: 2 - digits.count) + digits
            let plain = String(UnicodeScalar(byte))
            let expected = Self.unreserved.contains(byte) ? plain : escaped
            let key: [UInt8] = [UInt8(ascii: "a"), byte, UInt8(ascii: "c")]
            #expect(try target("https://h/{key}", key) == "/a\(expected)c")
            #expect(try target("https://h/x?y={key}", key) == "/x?y=a\(expected)c")
            let kept = byte == UInt8(ascii: "/") ? "/" : expected
            #expect(try target("https://h/{+key}", key) == "/a\(kept)c")
            #expect(try target("https://h/x?y={+key}", key) == "/x?y=a\(kept)c")
        }
    }

    @Test func everyTargetHoldsOnlyBytesThatMayStandInOne() throws {
        let allowed = Self.unreserved.union("%/?=".utf8)
        let every = Array(UInt8.min...UInt8.max)
        for url in ["https://h/{key}?x={key}", "https://h/{+key}?x={+key}"] {
            let target = try #require(try target(url, every))
            #expect(target.utf8.allSatisfy(allowed.contains))
        }
    }

    @Test(arguments: [
        ".", "..", "a/../b", "../a", "a/..", "a/./b", "\\..\\a", "a\\..", "..;x", "a/..;b=c/d",
        "..\u{0}", "/..", "../", "./",
    ])
    func aKeyThatWouldLeaveItsPlaceIsRefused(key: String) throws {
        #expect(try target("https://h/users/{key}", key) == nil)
        #expect(try target("https://h/users/{+key}", key) == nil)
        #expect(try target("https://h/users/x?id={key}", key) != nil)
    }

    @Test(arguments: ["...", ".a", "a.", "..a", "a..", "a/...", "a;..", ".;.", " .", "%2e%2e"])
    func aKeyWithDotsInANameIsNot(key: String) throws {
        let isDots = key.hasPrefix(".;")
        #expect((try target("https://h/users/{key}", key) == nil) == isDots)
    }

    @Test func dotsThatTheTemplateBeginsAreSeen() throws {
        #expect(try target("https://h/a/.{key}", ".") == nil)
        #expect(try target("https://h/a/%2e{key}", ".") == nil)
        #expect(try target("https://h/a/x{key}", "..") == "/a/x..")
        #expect(try target("https://h/{namespace}/{key}", Array("7".utf8), in: "..") == nil)
        #expect(try target("https://h/{namespace}{key}", Array(".".utf8), in: ".") == nil)
    }

    @Test func noKeyLeavesItsFolderHoweverAServerResolves() throws {
        let alphabet: [[UInt8]] = [".", "/", "\\", "a", ";", "%", "\u{0}"].map { Array($0.utf8) }
        var keys: [[UInt8]] = [[]]
        for _ in 0..<5 {
            keys = keys.flatMap { key in [key] + alphabet.map { key + $0 } }
        }
        let unique = Set(keys).subtracting([[]])
        for url in ["https://h/p/{key}", "https://h/p/{+key}"] {
            let template = try URLTemplate(parsing: url)
            for bytes in unique {
                guard let key = CacheKey(bytes: bytes),
                    let target = template.target(of: key, in: .default)
                else { continue }
                let resolved = Self.resolve(target)
                if resolved.first != "p" { Issue.record("\(bytes) became \(target)") }
            }
        }
    }

    /// The names of a path as a trusting server reads it: decoded, `\` as `/`, cut at `;` and NUL.
    private static func resolve(_ target: String) -> [String] {
        var decoded: [UInt8] = []
        var bytes = Array(target.utf8)[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            decoded.append(UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16) ?? 0)
            bytes = bytes.dropFirst(2)
        }
        var names: [String] = []
        for part in decoded.split(whereSeparator: { "/\\".utf8.contains($0) }) {
            let name = String(
                decoding: part.prefix { $0 != 0 && $0 != UInt8(ascii: ";") }, as: UTF8.self)
            switch name {
            case ".": break
            case "..": if names.popLast() == nil { return ["above"] }
            default: names.append(name)
            }
        }
        return names
    }

    @Test func theLongestKeyFits() throws {
        let target = try target("https://h/{key}", [UInt8](repeating: 0xFF, count: 4_096))
        let due: Int = 1 + 3 * 4_096
        #expect(target?.utf8.count == due)
    }

    // MARK: Reading

    @Test(arguments: [
        ("https://api.example/{key}", "https://api.example"),
        ("HTTPS://API.Example:8443/{key}", "https://api.example:8443"),
        ("http://10.0.0.1:80/{key}", "http://10.0.0.1:80"),
        ("http://[::1]:8080/{key}", "http://[::1]:8080"),
        ("http://[fe80::1]/{+key}", "http://[fe80::1]"),
        ("http://my_service/{key}", "http://my_service"), ("http://h?{key}", "http://h"),
    ])
    func aTemplateKnowsItsRoot(url: String, root: String) throws {
        #expect(try URLTemplate(parsing: url).root == root)
    }

    @Test(
        arguments: [
            ("", .notHTTP), ("api.example/{key}", .notHTTP), ("ftp://h/{key}", .notHTTP),
            ("//h/{key}", .notHTTP), (" https://h/{key}", .notHTTP), ("https:/h/{key}", .notHTTP),
            ("{key}://h/", .placeholderBeforePath), ("https://{key}/", .placeholderBeforePath),
            ("https://h{key}", .placeholderBeforePath),
            ("https://{namespace}.h/{key}", .placeholderBeforePath),
            ("https://h:{key}/", .placeholderBeforePath),
            ("https://h}/{key}", .placeholderBeforePath),
            ("https://a:b@h/{key}", .userInformation), ("https://a@h/{key}", .userInformation),
            ("https:///{key}", .hostMissing), ("https://", .hostMissing),
            ("https://:80/{key}", .hostMissing),
            ("https://h h/{key}", .hostUnreadable), ("https://hö/{key}", .hostUnreadable),
            ("https://h%41/{key}", .hostUnreadable), ("https://[::1/{key}", .hostUnreadable),
            ("https://[x]/{key}", .hostUnreadable), ("https://h\\x/{key}", .hostUnreadable),
            ("https://h:/{key}", .portUnreadable), ("https://h:0/{key}", .portUnreadable),
            ("https://h:65536/{key}", .portUnreadable), ("https://h:8a/{key}", .portUnreadable),
            ("https://h:+1/{key}", .portUnreadable), ("http://[::1]80/{key}", .portUnreadable),
            ("https://h/{key}#a", .fragment), ("https://h/#{key}", .fragment),
            ("https://h#{key}", .fragment),
            ("https://h/{key", .bracesUnbalanced), ("https://h/key}", .bracesUnbalanced),
            ("https://h/{{key}}", .bracesUnbalanced), ("https://h/{key}{", .bracesUnbalanced),
            ("https://h/{ke?y}", .bracesUnbalanced),
            ("https://h/{kee}", .placeholderUnknown), ("https://h/{}", .placeholderUnknown),
            ("https://h/{Key}", .placeholderUnknown),
            ("https://h/{+namespace}", .placeholderUnknown),
            ("https://h/", .keyMissing), ("https://h", .keyMissing),
            ("https://h/{namespace}", .keyMissing),
            ("https://h/a b/{key}", .byteForbidden(0x20)),
            ("https://h/\r\n{key}", .byteForbidden(0x0D)),
            ("https://h/ü/{key}", .byteForbidden(0xC3)),
            ("https://h/\"{key}", .byteForbidden(0x22)),
            ("https://h/a\\{key}", .byteForbidden(0x5C)),
            ("https://h/%/{key}", .percentUnfinished), ("https://h/%4/{key}", .percentUnfinished),
            ("https://h/%zz/{key}", .percentUnfinished), ("https://h/{key}%", .percentUnfinished),
            ("https://h/%{key}", .percentUnfinished),
            ("https://h/a/../{key}", .dotSegment), ("https://h/./{key}", .dotSegment),
            ("https://h/%2e%2E/{key}", .dotSegment), ("https://h/a%2F..%2f{key}", .dotSegment),
            ("https://h/\(String(repeating: "x", count: 2_048)){key}", .tooLong(bytes: 2_063)),
        ] as [(String, URLTemplateError)])
    func whatIsWrongIsNamed(url: String, error: URLTemplateError) {
        #expect(throws: error) { try URLTemplate(parsing: url) }
    }

    @Test(
        arguments: [
            .tooLong(bytes: 5_000), .notHTTP, .placeholderBeforePath, .userInformation,
            .hostMissing,
            .hostUnreadable, .portUnreadable, .fragment, .bracesUnbalanced, .placeholderUnknown,
            .keyMissing, .byteForbidden(0x0A), .percentUnfinished, .dotSegment,
        ] as [URLTemplateError])
    func everyErrorIsOneLineWithARemedy(error: URLTemplateError) {
        let text = error.description
        #expect(!text.contains("\n"))
        #expect(text.contains(": ") && text.contains("the origin's URL"))
    }
}
