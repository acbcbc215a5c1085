import CacheConfiguration
import Testing

/// What the files' YAML may look like: styles, quotation marks, line ends.
@Suite struct YAMLReadingTests {
    private static let least = "nodes: [{id: n1}]\n"

    /// The text that is read where `yaml` is a setting's value in block style.
    private static func value(_ yaml: String) throws -> String? {
        let text = "gateway:\n  jwt-keys: /k\n  jwt-audience: \(yaml)\n\(least)"
        return try ConfigurationSamples.parsed(text).gateway?.jwtAudience
    }

    @Test func flowAndBlockStyleSayTheSame() throws {
        let block = """
            publisher:
              lease: 4s
            nodes:
            - id: left
              endpoints:
                - ipc:///run/left
            - id: right
            """
        let flow = """
            {publisher: {lease: 4s}, nodes: [{id: left, endpoints: [ipc:///run/left]},
              {"id": right},]}
            """
        let json = """
            {"publisher":{"lease":"4s"},"nodes":[{"id":"left","endpoints":["ipc:///run/left"]},
            {"id":"right"}]}
            """
        let keys = """
            ? publisher
            : ? lease
              : 4s
            ? nodes
            : - ? id
                : left
                ? endpoints
                : - ipc:///run/left
              - id: right
            """
        let expected = try ConfigurationSamples.parsed(block)
        for text in [flow, json, keys, "%YAML 1.1\n---\n\(block)\n...\n# the end\n"] {
            #expect(try ConfigurationSamples.parsed(text) == expected, "\(text)")
        }
    }

    @Test(arguments: [
        ("a b", "a b"), ("  a  # b", "a"), ("a#b", "a#b"), ("a:b", "a:b"), ("1", "1"),
        ("0x10", "0x10"), ("true", "true"), ("\"a # b\"", "a # b"), ("'it''s'", "it's"),
        ("'\\n'", "\\n"), ("\"\\x41\\u0042\\U00000043\"", "ABC"), ("\"\\t\\\"\\\\\"", "\t\"\\"),
        ("\"\\0\"", "\u{0}"), ("\"\\uFEFF\"", "\u{FEFF}"), ("\"\\ud7ff\"", "\u{D7FF}"),
        ("é\u{1F426}", "é\u{1F426}"), ("''", ""), ("\"null\"", "null"), ("'~'", "~"),
    ])
    func aScalarIsReadAsWritten(yaml: String, text: String) throws {
        #expect(try Self.value(yaml) == text)
    }

    @Test(arguments: [
        ("a\n    b", "a b"), ("a\n\n    b", "a\nb"), ("\"a\n    b\\\n    c\"", "a bc"),
        ("'a\n\n    b'", "a\nb"), ("|\n    a\n    b\n", "a\nb\n"), ("|-\n    a\n\n", "a"),
        ("|+\n    a\n\n", "a\n\n\n"), (">-\n    a\n    b\n\n    c", "a b\nc"),
        ("|2-\n      a", "  a"), ("|-\n    null", "null"),
    ])
    func aScalarOfSeveralLinesIsFoldedOrKept(yaml: String, text: String) throws {
        #expect(try Self.value(yaml) == text)
    }

    @Test(arguments: ["", "~", "null", "# a", "!!str", "!!str null", "! ~"])
    func nothingWrittenPlainIsNoText(yaml: String) {
        let text = "topology: \(yaml)\n\(Self.least)"
        let lines = ConfigurationSamples.refusal(of: text)
        #expect(lines.count == 1 && lines.first?.contains("; found nothing; ") == true, "\(lines)")
    }

    @Test(arguments: [
        "!!str a", "!!int a", "!!binary a", "!x a", "!<tag:example.org,2000:x> a", "! a",
    ])
    func aTagChangesNothing(yaml: String) throws {
        #expect(try Self.value(yaml) == "a")
    }

    @Test func aTagOfAListOrOfSettingsChangesNothing() throws {
        let text = "!!map\nnodes: !!seq [!x {!!str id: n1}]\n"
        let expected = try ConfigurationSamples.parsed(Self.least)
        #expect(try ConfigurationSamples.parsed(text) == expected)
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func linesEndAsOnAnySystem(end: String) throws {
        let lines = ["# é", "nodes:", "  - id: n1", "    shards: 2", ""]
        let good = lines.joined(separator: end)
        #expect(try ConfigurationSamples.parsed(good).nodes.first?.shards == 2)
        let bad = good + "topology:\t x\(end)"
        #expect(ConfigurationSamples.refusal(of: bad).first?.hasPrefix("f:5:12: ") == true)
    }

    @Test func aByteOrderMarkIsAllowedAtTheStartOnly() throws {
        let expected = try ConfigurationSamples.parsed(Self.least)
        #expect(try ConfigurationSamples.parsed("\u{FEFF}" + Self.least) == expected)
        let long = "topology: sharded\n" + Self.least
        #expect(
            try ConfigurationSamples.parsed("\u{FEFF}" + long) == ConfigurationSamples.parsed(long))
        let wrong = ConfigurationSamples.refusal(of: "\u{FEFF}nodes: [{id: n1, shards: x}]\n")
        #expect(wrong.first?.hasPrefix("f:1:26: nodes[0].shards: ") == true)
        let within = ConfigurationSamples.refusal(of: "\(Self.least)\u{FEFF}topology: sharded\n")
        #expect(within.first?.hasPrefix("f:2:2: this is not YAML: ") == true)
    }

    @Test func tabsMaySeparateButNotIndent() throws {
        #expect(try Self.value("\ta\t# b\t") == "a")
        let flow = "nodes: [\t{id:\tn1},\n\t{id: n2}]\t\n"
        #expect(try ConfigurationSamples.parsed(flow).nodes.count == 2)
        let lines = ConfigurationSamples.refusal(of: "nodes:\n  - id: n1\n\tport: 1\n")
        #expect(
            lines.first?.hasPrefix("f:3:1: ") == true
                && lines.first?.hasSuffix("; indent with spaces, not with tabs") == true)
    }
}
