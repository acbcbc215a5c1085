import Testing

@testable import ByteCoding

@Suite struct EntityTagTests {
    private static func read(_ text: String, _ alphabet: EntityTag.Alphabet) -> EntityTag? {
        EntityTag(Array(text.utf8)[...], of: alphabet)
    }

    @Test(arguments: ["\"\"", "\"a\"", "W/\"a\"", "\"!#~\"", "\"W/\""])
    func aTagOfVisibleASCIIIsReadAndWrittenTheSame(text: String) {
        #expect(Self.read(text, .visibleASCII)?.text == text)
        #expect(Self.read(text, .withObsoleteText)?.text == text)
    }

    @Test(arguments: [
        "", "\"", "a", "\"a", "a\"", "w/\"a\"", "W/a", "W/", "\"a\"b\"", "\"a b\"", " \"a\"",
        "\"\u{7F}\"", "*",
    ])
    func whatIsNoTagIsNoneOfEitherAlphabet(text: String) {
        #expect(Self.read(text, .visibleASCII) == nil)
        #expect(Self.read(text, .withObsoleteText) == nil)
    }

    /// RFC 9110 lets an origin send bytes from 0x80 on; the gateway takes and sends none.
    @Test func obsoleteTextIsOnlyInATagOfAnOrigin() {
        #expect(Self.read("\"ä\"", .visibleASCII) == nil)
        #expect(Self.read("\"ä\"", .withObsoleteText)?.opaque == Array("ä".utf8))
    }

    @Test func listsAreReadWhole() {
        let tags = [EntityTag(Array("a".utf8)), EntityTag(isWeak: true, Array("b,c".utf8))]
        #expect(EntityTag.list(", \"a\" ,\tW/\"b,c\", ") == tags)
        for text in ["", ",", "\"a\" \"b\"", "\"a", "\"ä\"", "\"a\", x"] {
            #expect(EntityTag.list(text) == nil, "\(text)")
        }
    }

    @Test func aWeakTagIsTheSameOnlyWeakly() {
        let (strong, weak) = (EntityTag([1]), EntityTag(isWeak: true, [1]))
        #expect(strong.matchesWeakly(weak) && !strong.matchesStrongly(weak))
        #expect(strong.matchesStrongly(strong) && !weak.matchesStrongly(weak))
        #expect(!strong.matchesWeakly(EntityTag([2])))
    }
}
