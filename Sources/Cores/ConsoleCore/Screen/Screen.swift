/// The contents of a terminal: cells in rows, without any notion of how they are sent there.
///
/// ```
///   ClusterConsole ──draws──▶ Screen ──▶ ScreenPainter ──bytes──▶ FrameOutbox ──▶ a shell
///                               ▲             │ what differs from
///                               └─────────────┘ the screen shown before
/// ```
///
/// A value, made anew for each frame and passed from the drawing to the painting code; any loop may
/// own it. Drawing never fails: text beyond the edge is cut, and a blank replaces the half of a
/// wide character at the edge. Foreign text passes ``GlyphRun``, so that no cell can contain
/// terminal control characters. The screen has no cursor.
package struct Screen: Hashable, Sendable {
    package let size: ScreenSize
    package private(set) var rows: [[ScreenCell]]

    package init(_ size: ScreenSize) {
        self.size = size
        let row = Array(repeating: ScreenCell.blank, count: size.columns)
        rows = Array(repeating: row, count: size.rows)
    }

    /// Writes `text` from a position on, at most `columnsMax` columns of it. If it is cut, its last
    /// column is `…`.
    ///
    /// - Returns: the column after it.
    @discardableResult
    package mutating func put(
        _ text: String, row: Int, column: Int, _ style: CellStyle = .plain,
        columnsMax: Int = .max
    ) -> Int {
        let end = min(size.columns, columnsMax > size.columns ? size.columns : column + columnsMax)
        guard rows.indices.contains(row), column >= 0, column < end else { return column }
        var column = column
        let run = GlyphRun(text)
        let isCut = run.columns > end - column
        for glyph in run.glyphs {
            guard column + glyph.columns <= (isCut ? end - 1 : end) else { break }
            set(ScreenCell(glyph.text, style), row, column)
            if glyph.columns == 2 { setRightHalf(style, row, column + 1) }
            column += glyph.columns
        }
        guard isCut else { return column }
        while column < end - 1 {
            set(ScreenCell(" ", style), row, column)
            column += 1
        }
        set(ScreenCell("…", style), row, end - 1)
        return end
    }

    /// Writes `text` so that it ends before a column.
    package mutating func put(
        _ text: String, row: Int, endingAt end: Int, _ style: CellStyle = .plain,
        columnsMax: Int
    ) {
        let columns = min(GlyphRun(text).columns, columnsMax)
        put(text, row: row, column: max(0, end - columns), style, columnsMax: columns)
    }

    /// Changes the style of all cells of a row.
    package mutating func restyle(row: Int, _ change: (inout CellStyle) -> Void) {
        guard rows.indices.contains(row) else { return }
        for column in rows[row].indices { change(&rows[row][column].style) }
    }

    /// Replaces a cell, and blanks the other half of a wide character.
    private mutating func set(_ cell: ScreenCell, _ row: Int, _ column: Int) {
        if rows[row][column].isRightHalf, column > 0 { rows[row][column - 1].glyph = " " }
        if column + 1 < size.columns, rows[row][column + 1].isRightHalf {
            rows[row][column + 1].glyph = " "
        }
        rows[row][column] = cell
    }

    private mutating func setRightHalf(_ style: CellStyle, _ row: Int, _ column: Int) {
        if column + 1 < size.columns, rows[row][column + 1].isRightHalf {
            rows[row][column + 1].glyph = " "
        }
        rows[row][column] = ScreenCell("", style)
    }

    /// The rows as text, without styles and without blanks at their ends.
    package var text: [String] {
        rows.map { row in
            var line = row.map(\.glyph).joined()
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

/// The size of a terminal, in cells; at least one, and at most ``ConsoleLimits``.
package struct ScreenSize: Hashable, Sendable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), ConsoleLimits.columnsMax)
        self.rows = min(max(rows, 1), ConsoleLimits.rowsMax)
    }
}

package struct ScreenCell: Hashable, Sendable {
    /// A character, with its marks; empty in the right half of a wide one.
    package var glyph: String
    package var style: CellStyle

    package init(_ glyph: String, _ style: CellStyle = .plain) {
        self.glyph = glyph
        self.style = style
    }

    package static let blank = ScreenCell(" ")

    /// Whether it is the right half of the wide character to its left.
    package var isRightHalf: Bool { glyph.isEmpty }

    /// Whether every terminal shows it in one column. Our own block and line characters have one
    /// column in all terminals that know them.
    var isSure: Bool {
        guard let scalar = glyph.unicodeScalars.first else { return false }
        let isAlone = glyph.unicodeScalars.count == 1
        return isAlone && (scalar.isASCII || (0x2500...0x259F).contains(scalar.value))
    }
}

extension Screen {
    /// Writes pieces of different styles one after the other.
    package mutating func put(
        _ spans: [(text: String, style: CellStyle)], row: Int, column: Int = 0
    ) {
        var column = column
        for span in spans { column = put(span.text, row: row, column: column, span.style) }
    }
}
