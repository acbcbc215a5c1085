import CacheModel
import Testing

@Suite struct IssuerTests {
    @Test func aNameHasOneTo64BytesAndNoControlCharacter() {
        #expect(Issuer("ada@box")?.name == "ada@box")
        #expect(Issuer(String(repeating: "i", count: 64)) != nil)
        #expect(Issuer("Zoë – a cron job")?.description == "Zoë – a cron job")
        #expect(Issuer("") == nil)
        #expect(Issuer(String(repeating: "i", count: 65)) == nil)
        #expect(Issuer(String(repeating: "ë", count: 33)) == nil, "bytes are counted")
        for control in ["a\n", "\u{1B}[2J", "\u{7F}", "\u{85}", "a\0"] {
            #expect(Issuer(control) == nil)
        }
    }

    @Test func aNameThatDoesNotFitIsShortenedAtACharacter() {
        #expect(Issuer(shortening: "a\nb\u{1B}c")?.name == "abc")
        #expect(Issuer(shortening: String(repeating: "ë", count: 40))?.name.utf8.count == 64)
        #expect(Issuer(shortening: "x" + String(repeating: "ë", count: 40))?.name.utf8.count == 63)
        #expect(Issuer(shortening: "\n\n") == nil)
    }

    @Test func aNodeIsNamedByItsID() throws {
        #expect(Issuer(node: try #require(NodeID("n1"))).name == "node:n1")
        let longest = try #require(NodeID(String(repeating: "n", count: 64)))
        #expect(Issuer(Issuer(node: longest).name) != nil, "it can be sent")
    }
}
