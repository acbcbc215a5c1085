/// Turns the screen that a terminal shows into the next with few bytes. It writes only cells that
/// differ, and takes the cheaper of two ways to move to the next one.
///
/// The terminal does not wrap at its last column (``enter`` turns wrapping off). Terminals may
/// disagree about the width of some characters. After such a character the painter does not rely on
/// the cursor's column.
package struct ScreenPainter {
    /// The alternate screen, no wrapping, no cursor.
    package static let enter = Array("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l".utf8)
    /// The reverse, in the reverse order. It may be sent twice.
    package static let leave = Array("\u{1B}[m\u{1B}[?25h\u{1B}[?7h\u{1B}[?1049l".utf8)

    private let isColoured: Bool
    private let next: Screen
    private var bytes: [UInt8] = []
    private var style = CellStyle.plain
    /// The position of the cursor; `nil` if unknown.
    private var cursor: (row: Int, column: Int)?

    /// - Parameter shown: what the terminal shows; `nil` if unknown. A screen of another size
    ///   counts as unknown.
    /// - Returns: empty if nothing changes.
    package static func bytes(
        from shown: Screen?, to next: Screen, isColoured: Bool
    ) -> [UInt8] {
        var painter = ScreenPainter(next: next, isColoured: isColoured)
        if let shown, shown.size == next.size {
            painter.paint(over: shown)
        } else {
            painter.bytes = Array("\u{1B}[m\u{1B}[H\u{1B}[2J".utf8)
            painter.cursor = (0, 0)
            painter.paint(over: Screen(next.size))
        }
        painter.apply(.plain)
        return painter.bytes
    }

    private init(next: Screen, isColoured: Bool) {
        self.next = next
        self.isColoured = isColoured
    }

    private mutating func paint(over shown: Screen) {
        for row in next.rows.indices where next.rows[row] != shown.rows[row] {
            paint(row, over: shown.rows[row])
        }
    }

    private mutating func paint(_ row: Int, over shown: [ScreenCell]) {
        let cells = next.rows[row]
        let end = Self.end(of: cells)
        let shownEnd = Self.end(of: shown)
        var column = 0
        while column < cells.count {
            let isWide = column + 1 < cells.count && cells[column + 1].isRightHalf
            let width = isWide ? 2 : 1
            defer { column += width }
            let places = column..<column + width
            guard cells[places] != shown[places] else { continue }
            move(to: row, column)
            // Erasing takes three bytes for any number of columns.
            if column >= end, shownEnd - column > 3 {
                apply(.plain)
                bytes += "\u{1B}[K".utf8
                return
            }
            write(cells[column], width)
        }
    }

    private static func end(of cells: [ScreenCell]) -> Int {
        (cells.lastIndex { $0 != .blank } ?? -1) + 1
    }

    private mutating func write(_ cell: ScreenCell, _ width: Int) {
        apply(cell.style)
        bytes += cell.glyph.utf8
        guard let (row, column) = cursor else { return }
        let isKnown = cell.isSure && column + width < next.size.columns
        cursor = isKnown ? (row, column + width) : nil
    }

    // MARK: Moving the cursor

    private mutating func move(to row: Int, _ column: Int) {
        if let cursor, cursor == (row, column) { return }
        defer { cursor = (row, column) }
        let absolute = Self.placing(row, column)
        guard let cursor, cursor.row == row, cursor.column < column else {
            if let cursor, cursor.row + 1 == row, column == 0 {
                bytes += [0x0D, 0x0A]
            } else {
                bytes += absolute
            }
            return
        }
        let gap = next.rows[row][cursor.column..<column]
        let isCheap = gap.count <= 4 && gap.allSatisfy { $0.isSure && $0.style == style }
        if isCheap, gap.reduce(0, { $0 + $1.glyph.utf8.count }) <= 4 {
            gap.forEach { bytes += $0.glyph.utf8 }
        } else {
            bytes += Self.forward(gap.count)
        }
    }

    private static func placing(_ row: Int, _ column: Int) -> [UInt8] {
        let place = column == 0 ? (row == 0 ? "" : "\(row + 1)") : "\(row + 1);\(column + 1)"
        return Array("\u{1B}[\(place)H".utf8)
    }

    private static func forward(_ count: Int) -> [UInt8] {
        Array("\u{1B}[\(count == 1 ? "" : "\(count)")C".utf8)
    }

    private mutating func apply(_ wanted: CellStyle) {
        let now = style.codes(isColoured: isColoured)
        let codes = wanted.codes(isColoured: isColoured)
        style = wanted
        guard now != codes else { return }
        let numbers = codes.isEmpty || now.isEmpty ? codes : [0] + codes
        bytes += "\u{1B}[\(numbers.map(String.init).joined(separator: ";"))m".utf8
    }
}
