import Testing
import TestSupport

@testable import ConsoleCore

@Suite struct ScreenPainterTests {
    static let pieces = [
        "a", "key", "  ", "中", "中文字", "e\u{301}", "é", "▁▂▃▄▅▆▇█", "─", "…", "›", "😀", "🇩🇪",
        "\u{1B}[2J", "\u{7}", "ر", "ก็", "x", "\u{200D}", "👩🏽‍🚀", "0123456789",
    ]

    static func style(_ generator: inout SeededGenerator) -> CellStyle {
        CellStyle(
            CellStyle.Tone.allCases.randomElement(using: &generator) ?? .plain,
            isStrong: Int.random(in: 0..<4, using: &generator) == 0,
            isFaint: Int.random(in: 0..<4, using: &generator) == 0,
            isReversed: Int.random(in: 0..<4, using: &generator) == 0)
    }

    static func scribble(_ screen: inout Screen, _ generator: inout SeededGenerator, count: Int) {
        for _ in 0..<count {
            let words = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            let style = Bool.random(using: &generator) ? .plain : style(&generator)
            screen.put(
                words.joined(), row: Int.random(in: 0..<screen.size.rows, using: &generator),
                column: Int.random(in: 0..<screen.size.columns, using: &generator), style,
                columnsMax: Int.random(in: 1...30, using: &generator))
        }
    }

    /// Every right half stands right of something, and nothing is two cells wide without one.
    static func isWhole(_ screen: Screen) -> Bool {
        screen.rows.allSatisfy { row in
            row.indices.allSatisfy { column in
                guard let first = row[column].glyph.unicodeScalars.first else {
                    return column > 0 && !row[column - 1].glyph.isEmpty
                }
                let isWide = GlyphWidth.columns(of: first) == 2
                let hasHalf = column + 1 < row.count && row[column + 1].glyph.isEmpty
                return isWide == hasHalf
            }
        }
    }

    @Test(arguments: 0..<400)
    func whatIsPaintedOverAScreenIsTheNext(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let size = ScreenSize(
            columns: Int.random(in: 1...60, using: &generator),
            rows: Int.random(in: 1...12, using: &generator))
        var terminal = ModelTerminal(size)
        var shown: Screen?
        for turn in 0..<8 {
            var next = turn % 3 == 0 ? Screen(size) : shown ?? Screen(size)
            Self.scribble(&next, &generator, count: Int.random(in: 0...20, using: &generator))
            #expect(Self.isWhole(next))
            let bytes = ScreenPainter.bytes(from: shown, to: next, isColoured: true)
            terminal.show(bytes)
            #expect(terminal.complaints == [])
            #expect(terminal.cells == ModelTerminal.picture(next))
            #expect(bytes.count <= ConsoleLimits.frameBytesMax(size))
            #expect(ScreenPainter.bytes(from: next, to: next, isColoured: true) == [])
            shown = next
        }
    }

    @Test func oneChangedFigureTakesAFewBytes() {
        var screen = Screen(ScreenSize(columns: 200, rows: 50))
        for row in 0..<50 { screen.put("n\(row) LIVE 1234", row: row, column: 0) }
        var next = screen
        next.put("1235", row: 20, column: 9)
        let bytes = ScreenPainter.bytes(from: screen, to: next, isColoured: true)
        #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}[21;13H5")
    }

    @Test func aRowThatEndsIsErased() {
        var screen = Screen(ScreenSize(columns: 80, rows: 2))
        screen.put(String(repeating: "x", count: 80), row: 0, column: 0)
        var next = Screen(screen.size)
        next.put("xx", row: 0, column: 0)
        let bytes = ScreenPainter.bytes(from: screen, to: next, isColoured: true)
        #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}[1;3H\u{1B}[K")
    }

    @Test func aScreenOfAnotherSizeIsPaintedAnew() {
        let small = Screen(ScreenSize(columns: 10, rows: 3))
        var next = Screen(ScreenSize(columns: 12, rows: 4))
        next.put("hello", row: 3, column: 7)
        var terminal = ModelTerminal(next.size)
        terminal.show(ScreenPainter.bytes(from: small, to: next, isColoured: true))
        #expect(terminal.cells == ModelTerminal.picture(next))
    }

    @Test func withoutColoursWhatIsNoColourStays() {
        var next = Screen(ScreenSize(columns: 10, rows: 1))
        next.put("a", row: 0, column: 0, .bad)
        next.put("b", row: 0, column: 1, .good)
        let text = String(
            decoding: ScreenPainter.bytes(from: nil, to: next, isColoured: false), as: UTF8.self)
        #expect(text == "\u{1B}[m\u{1B}[H\u{1B}[2J\u{1B}[1ma\u{1B}[mb")
    }
}
