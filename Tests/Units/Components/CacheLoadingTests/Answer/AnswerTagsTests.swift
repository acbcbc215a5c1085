import CacheModel
import Testing

@testable import CacheLoading

/// The tags of an answer.
@Suite struct AnswerTagsTests {
    static let tagged: [(lines: [String], tags: [String])] = [
        ([], []),
        (["Surrogate-Key: a"], ["a"]),
        (["surrogate-key:  a \t b  "], ["a", "b"]),
        (["Surrogate-Key: a,b"], ["a,b"]),
        (["Surrogate-Key:"], []),
        (["Surrogate-Key: \"a b\""], ["\"a", "b\""]),
        (["Surrogate-Key: a\u{0}b\rc\nd"], ["a", "b", "c", "d"]),
        (["Cache-Tag: a"], ["a"]),
        (["CACHE-TAG: a , b c ,,\td"], ["a", "b c", "d"]),
        (["Cache-Tag: , ,"], []),
        (["Cache-Tag: ä"], ["ä"]),
        (["Cache-Tag: \"a\""], ["\"a\""]),
        (["Cache-Groups: \"a\""], ["a"]),
        (["cache-groups: \"a\" , \"b c\""], ["a", "b c"]),
        (["Cache-Groups: \"\", \"a\""], ["a"]),
        (["Cache-Groups: \"a\\\"b\\\\c\""], ["a\"b\\c"]),
        (["Cache-Groups: \" \""], [" "]),
        (["Cache-Groups: \"a\";x;y=1, \"b\""], ["a", "b"]),
        (["Cache-Groups: \"a\"", "Cache-Groups: \"b\""], ["a", "b"]),
        (["Cache-Groups:"], []),
        // Malformed, so nothing of it.
        (["Cache-Groups: \"a\", b"], []),
        (["Cache-Groups: \"a"], []),
        (["Cache-Groups: \"a\"", "Cache-Groups: \""], []),
        (["Cache-Groups: \"", "Surrogate-Key: a"], ["a"]),
        // Without doubles.
        (["Surrogate-Key: a b a"], ["a", "b"]),
        (["Cache-Tag: a, A, a"], ["a", "A"]),
        (["Surrogate-Key: a", "Cache-Tag: a, b", "Cache-Groups: \"b\", \"c\""], ["a", "b", "c"]),
        // In the order of the answer.
        (
            ["Cache-Tag: c", "Surrogate-Key: b", "Cache-Tag: a", "Surrogate-Key: b d"],
            ["c", "b", "a", "d"]
        ),
        (["Cache-Groups: \"a\"", "Cache-Tag: b", "Cache-Groups: \"c\""], ["a", "c", "b"]),
    ]

    @Test(arguments: tagged)
    func threeFieldsNameTags(lines: [String], tags: [String]) throws {
        for status in [200, 304, 404] {
            let facts = try AnswerSample(status: status, lines: lines, asked: "\"e\"").facts()
            #expect(facts.tags.map(\.description) == tags)
            #expect(facts.mayStore)
        }
    }

    static func many(_ numbers: Range<Int>) -> [String] { numbers.map { "t\($0)" } }

    @Test func sixtyFourTagsAreNotTooMany() throws {
        let most = Self.many(0..<Tag.perEntryMax)
        let line = "Surrogate-Key: " + (most + most).joined(separator: " ")
        let facts = try AnswerSample.facts(line, "Cache-Tag: t1, t2", "Cache-Groups: \"t3\"")
        #expect(facts.tags.map(\.description) == most)
        #expect(facts.mayStore)
    }

    static let further = ["Surrogate-Key: x", "Cache-Tag: x", "Cache-Groups: \"x\""]

    @Test(arguments: further)
    func oneMoreKeepsTheValueFromBeingStored(line: String) throws {
        let most = Self.many(0..<Tag.perEntryMax)
        let facts = try AnswerSample.facts("Cache-Tag: " + most.joined(separator: ","), line)
        #expect(facts.tags.map(\.description) == most)
        #expect(!facts.mayStore)
    }

    @Test(arguments: [("Surrogate-Key: ", ""), ("Cache-Tag: ", ""), ("Cache-Groups: \"", "\"")])
    func aTagThatIsTooLongKeepsTheValueFromBeingStored(before: String, after: String) throws {
        let longest = String(repeating: "t", count: Tag.bytesMax)
        let fitting = try AnswerSample.facts(before + longest + after)
        #expect(fitting.tags.map(\.description) == [longest])
        #expect(fitting.mayStore)
        let longer = try AnswerSample.facts("Surrogate-Key: a", before + longest + "t" + after)
        #expect(longer.tags.map(\.description) == ["a"])
        #expect(!longer.mayStore)
    }

    /// Its length is counted in bytes.
    @Test func aTagIsAsLongAsItsBytes() throws {
        let line = "Cache-Tag: " + String(repeating: "ä", count: 128)
        #expect(try !AnswerSample.facts(line).mayStore)
    }

    /// An invalidation would name the bytes that were sent, and these are others.
    @Test(arguments: ["Surrogate-Key: a\u{FFFD}", "Cache-Tag: \u{FFFD}"])
    func aTagThatWasNoTextKeepsTheValueFromBeingStored(line: String) throws {
        let facts = try AnswerSample.facts(line)
        #expect(facts.tags == [])
        #expect(!facts.mayStore)
    }

    @Test(arguments: [200, 304, 404])
    func theNamespaceDoesNotDecideOnTags(status: Int) throws {
        var sample = AnswerSample(status: status, lines: ["Cache-Tag: a"], asked: "\"e\"")
        sample.policy.lifetimeSource = .namespace
        #expect(try sample.facts().tags.map(\.description) == ["a"])
    }
}
