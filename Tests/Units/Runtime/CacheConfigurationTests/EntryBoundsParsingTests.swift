import CacheModel
import Testing

@testable import CacheConfiguration

/// `entries-max` and `when-full`.
@Suite struct EntryBoundsParsingTests {
    private static let nodes = "nodes: [{id: n1}, {id: n2, shards: 4}]\n"

    @Test func bothAreReadAndComeBackFromTheText() throws {
        let text = """
            nodes: [{id: n1, shards: 4, entries-max: 1000000000}, {id: n2, entries-max: none}]
            namespaces:
              flags: {memory-max: 10%, entries-max: 4, when-full: refuse}
              pages: {entries-max: none, when-full: evict}
            """
        let configuration = try ConfigurationSamples.parsed(text)
        #expect(configuration.nodes.map(\.entriesMax) == [1_000_000_000, nil])
        let flags = configuration.policy(for: try #require(Namespace("flags"))).memory
        #expect(flags.entriesMax == 4 && flags.whenFull == .refuse)
        #expect(flags.promised == flags.most)
        #expect(configuration.policy(for: try #require(Namespace("pages"))).memory == .standard)
        #expect(try ConfigurationSamples.parsed(configuration.yamlText()) == configuration)
        let lines = configuration.yamlText().split(separator: "\n")
        #expect(lines.contains("    entries-max: 4") && lines.contains("    when-full: refuse"))
        #expect(lines.contains { $0.hasPrefix("    entries-max: 1000000000  # ") })
    }

    /// So that a node of a release that knows neither can still read what it is served.
    @Test func whatIsNotSetIsNotWritten() throws {
        let text = "nodes: [{id: n1}]\nnamespaces: {a: {memory-max: 10%, when-full: evict}}\n"
        let served = try ConfigurationSamples.parsed(text).servedText()
        #expect(!served.contains("entries-max") && !served.contains("when-full"))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var lines: [String]
        var testDescription: String { text }

        init(_ text: String, _ lines: String...) {
            (self.text, self.lines) = (text, lines)
        }
    }

    @Test(arguments: [
        Case(
            "nodes: [{id: n1, entries-max: 0}, {id: n2, entries-max: 1000000001}]\n",
            "f:1:31: nodes[0].entries-max: 0 is too small; give 1 to 1000000000, or none",
            "f:1:57: nodes[1].entries-max: 1000000001 is too large; give 1 to 1000000000, or none"),
        Case(
            "nodes: [{id: n1, shards: 4, entries-max: 3}, {id: n2, entries-max: 1k}]\n",
            "f:1:42: nodes[0].entries-max: 3 is too small; give 4 to 1000000000, or none, at least "
                + "one for each of 4 shards",
            "f:1:68: nodes[1].entries-max: \"1k\" is not a whole number; give 1 to 1000000000, or "
                + "none"),
        Case(
            nodes + "namespaces: {a: {entries-max: 3}}\n",
            "f:2:31: namespaces.a.entries-max: 3 is too small; give 4 to 1000000000, or none, at "
                + "least one for each of 4 shards"),
        Case(
            nodes + "namespaces: {a: {when-full: refuse}, b: {when-full: block}}\n",
            "f:2:29: namespaces.a.when-full: entries that are never evicted need a bound, or they "
                + "take all of the memory; give a memory-max below 100%",
            "f:2:53: namespaces.b.when-full: \"block\" is not one of evict, refuse"),
        Case(
            nodes + "namespaces:\n  a: {memory-max: 50%, when-full: refuse}\n"
                + "  b: {memory-guaranteed: 41%}\n",
            "f:3:3: namespaces: with the memory-max of what says when-full: refuse, "
                + "memory-guaranteed comes to 91% in all; leave it at 90% or less"),
        Case(
            nodes + "defaults: {entries-max: 5, when-full: refuse}\n",
            "f:2:25: defaults.entries-max: a number of entries is one namespace's own; give it "
                + "under namespaces, to those that need it",
            "f:2:39: defaults.when-full: what happens to a full namespace is one namespace's own; "
                + "give it under namespaces, to those that need it"),
    ])
    func whatIsWrongIsRefusedWithItsRemedy(wrong: Case) {
        #expect(ConfigurationSamples.refusal(of: wrong.text) == wrong.lines)
    }

    @Test func anyOfTheFourMakesAQuota() {
        let one = { (number: Int) in "  n\(number): {entries-max: 9}\n" }
        let file = { (count: Int) in
            "nodes: [{id: n1}]\nnamespaces:\n" + (0..<count).map(one).joined()
        }
        #expect(ConfigurationSamples.refusal(of: file(64)).isEmpty)
        #expect(
            ConfigurationSamples.refusal(of: file(65)) == [
                "f:3:3: namespaces: 65 have a memory-max, memory-guaranteed, entries-max or "
                    + "when-full; give one to at most 64"
            ])
    }

    @Test func aPartIsAtLeastOne() {
        var quota = MemoryQuota.standard
        quota.entriesMax = 42
        #expect([1, 4, 42, 64].map { quota.part(ofShards: $0).entriesMax } == [42, 10, 1, 1])
        #expect(MemoryQuota.standard.part(ofShards: 4) == .standard)
    }
}
