import Testing

@testable import ConsoleCore

@Suite struct GlyphRunTests {
    static func text(_ text: String) -> String { GlyphRun(text).glyphs.map(\.text).joined() }

    @Test(arguments: [
        ("plain", "plain", 5), ("中文", "中文", 4), ("e\u{301}x", "e\u{301}x", 2),
        ("a\u{1B}[2Jb", "a\\x1b[2Jb", 9), ("line\nbreak\t", "line\\nbreak\\t", 13),
        ("\u{301}a", "a", 1), ("\u{9B}2J", "\\xc2\\x9b2J", 10), ("😀", "😀", 2),
        ("\u{202E}abc", "\\xe2\\x80\\xaeabc", 15), ("ｗｉｄｅ", "ｗｉｄｅ", 8), ("", "", 0),
        ("❤\u{FE0F}", "❤\\xef\\xb8\\x8f", 13), ("한글", "한글", 4), ("\u{7F}", "\\x7f", 4),
    ])
    func textOfOthersHasAKnownWidthAndSteersNothing(given: String, shown: String, columns: Int) {
        #expect(Self.text(given) == shown)
        #expect(GlyphRun(given).columns == columns)
    }

    @Test func aCharacterCarriesFewMarks() {
        let tower = "a" + String(repeating: "\u{301}", count: 1_000)
        #expect(GlyphRun(tower).glyphs.map { $0.text.unicodeScalars.count } == [3])
    }

    @Test func noScalarOfAllReachesATerminalAsAControl() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            guard let columns = GlyphWidth.columns(of: scalar) else { continue }
            #expect((0...2).contains(columns))
            if value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x200D {
                Issue.record("U+\(String(value, radix: 16)) has a width")
            }
        }
    }

    @Test func aCutTextEndsWithDotsAndNeverInHalfACharacter() {
        var screen = Screen(ScreenSize(columns: 10, rows: 2))
        #expect(screen.put("中文中文中文", row: 0, column: 0, columnsMax: 8) == 8)
        screen.put("abcdefghijklm", row: 1, column: 2)
        #expect(screen.text == ["中文中 …", "  abcdefg…"])
    }
}
