/// One cell of a terminal.
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
