import CacheConfiguration
import Testing

/// Texts that are not one YAML document, or that the reader refuses to hold.
@Suite struct YAMLFaultTests {
    private static let least = "nodes: [{id: n1}]\n"
    private static let look =
        "; look at the indentation, colons and quotation marks here and just above"

    private static func nested(_ open: String, _ close: String, _ depth: Int) -> String {
        String(repeating: open, count: depth) + "a" + String(repeating: close, count: depth)
    }

    private static let tooDeep =
        "lists and settings are nested more than \(ConfigurationLimits.nestingMax) levels deep "
        + "here; remove brackets or indentation"

    @Test(arguments: [
        ("[", "]", 33), ("{a: ", "}", 129), ("- ", "", 65), ("? ", "", 65), ("[? ", "]", 49),
        ("{? ", " }", 97), ("[", "", 33),
    ])
    func deepNestingIsRefusedWhereItIsTooDeep(open: String, close: String, column: Int) {
        for depth in [33, 1_000, 100_000] {
            let text = Self.nested(open, close, depth)
            #expect(ConfigurationSamples.refusal(of: text) == ["f:1:\(column): \(Self.tooDeep)"])
        }
    }

    @Test func deepIndentationIsRefusedWhereItIsTooDeep() {
        let text = (0..<1_000).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
        #expect(ConfigurationSamples.refusal(of: text) == ["f:33:33: \(Self.tooDeep)"])
    }

    @Test func asManyLevelsAsAreAllowedAreRead() {
        let text = Self.least + "x: " + Self.nested("[", "]", ConfigurationLimits.nestingMax - 1)
        let lines = ConfigurationSamples.refusal(of: text)
        #expect(lines.first?.hasPrefix("f:2:1: x: there is no such setting") == true)
        let deeper = Self.least + "x: " + Self.nested("[", "]", ConfigurationLimits.nestingMax)
        #expect(ConfigurationSamples.refusal(of: deeper).first?.hasPrefix("f:2:35: ") == true)
    }

    @Test func manyListsBesideEachOtherAreNotDeep() {
        let text = Self.least + "x: [" + String(repeating: "[[]], ", count: 50_000) + "]\n"
        #expect(ConfigurationSamples.refusal(of: text).count == 1)
    }

    @Test(arguments: [
        ("{[a]:*b}", 6), ("{[a]:&b c}", 6), ("{[a]:&b [c]}", 6), ("{[a]:&b {c: d}}", 6),
        ("{{}:*b}", 5),
    ])
    func aReferenceThatNoLineShowsIsRefusedByTheReader(text: String, column: Int) {
        #expect(
            ConfigurationSamples.refusal(of: text) == [
                "f:1:\(column): anchors (&) and aliases (*) are not taken here; write the value "
                    + "out"
            ])
    }

    @Test(arguments: [
        (
            "nodes: [{id: \"n1}]\n",
            "f:2:1: this is not YAML: found unexpected end of stream, while scanning a quoted "
                + "scalar from line 1" + look
        ),
        (
            "nodes: [{id: n1}]\ndefaults: {ttl: 'é}\n\n",
            "f:4:1: this is not YAML: found unexpected end of stream, while scanning a quoted "
                + "scalar from line 2" + look
        ),
        (
            "nodes: [{id: n1}]\nx: \"é\\ud800\"\n",
            "f:2:8: this is not YAML: found invalid Unicode character escape code, while parsing "
                + "a quoted scalar from line 2" + look
        ),
        (
            "nodes: [{id: n1}]\n%\n",
            "f:2:2: this is not YAML: could not find expected directive name, while scanning a "
                + "directive from line 2" + look
        ),
        (
            "nodes: [{id: n1}]\n---\nx: [\n",
            "f:2:1: a second document begins here; write one and no more"
        ),
    ])
    func aSyntaxErrorIsRefusedWhereItIsFound(text: String, line: String) {
        #expect(ConfigurationSamples.refusal(of: text) == [line])
    }

    @Test(arguments: [("\u{0}", 0), ("\u{1B}", 27), ("\u{80}", 128), ("\u{FFFE}", 65_534)])
    func aCharacterThatYAMLDoesNotAllowIsRefusedWhereItStands(character: String, code: Int) {
        let sentence = "control characters are not allowed (\(code)); remove the character"
        for (text, place) in [
            (character, "1:1"), ("# é\(character)", "1:4"),
            ("nodes:\r\n  - id: \"n\(character)\"\r\n", "2:11"),
        ] {
            #expect(ConfigurationSamples.refusal(of: text) == ["f:\(place): \(sentence)"])
        }
    }

    @Test func textAfterACharacterOfNumberZeroIsNotCutOff() {
        let text = "\(Self.least)topology: \"a\\0b\"\n"
        let lines = ConfigurationSamples.refusal(of: text)
        #expect(lines.first?.hasPrefix("f:2:11: topology: \"a\u{FFFD}b\" is not one of ") == true)
    }

    @Test(arguments: [
        ("b: 1\na: 1\nb: 2\na: 2\n", "2:1: a"), ("x: {k: 1, k: 2}\n", "1:5: k"),
        ("x:\n  - \"k\": 1\n    'k': 2\n", "2:5: k"), ("x: {k: 1, k: 2}\ny: [\n", "1:5: k"),
        ("? k\n? k\n? k\n", "1:3: k"), ("\"\": 1\n'': 2\n", "1:1: "),
    ])
    func aNameThatIsWrittenTwiceIsRefusedAtTheFirst(text: String, head: String) {
        let path = head.hasSuffix(" ") ? head : head + ": "
        #expect(
            ConfigurationSamples.refusal(of: text)
                == ["f:\(path)it is given more than once, first here; remove the others"])
    }

    @Test func aDuplicateNameInQuotesIsRefusedAtItsSecondUse() {
        let text = "\(Self.least)topology: sharded\n\"topology\": sharded\n"
        #expect(
            ConfigurationSamples.refusal(of: text)
                == ["f:3:1: topology: it is given twice; remove one"])
    }
}
