@testable import ConsoleCore

/// As much of a terminal as the painter may rely on. After a character whose width terminals
/// disagree about it does not know where its cursor is, and whoever relies on it is told.
struct ModelTerminal {
    struct Cell: Equatable {
        var glyph = " "
        var codes: Set<Int> = []
    }

    let size: ScreenSize
    private(set) var cells: [[Cell]]
    private(set) var complaints: [String] = []
    private var row = 0
    private var column: Int? = 0
    private var codes: Set<Int> = []

    /// - Parameter garbage: what stands everywhere before.
    init(_ size: ScreenSize, garbage: String = "#") {
        self.size = size
        let line = Array(repeating: Cell(glyph: garbage), count: size.columns)
        cells = Array(repeating: line, count: size.rows)
    }

    /// What `screen` should look like here.
    static func picture(_ screen: Screen) -> [[Cell]] {
        screen.rows.map { row in
            row.map { cell in
                Cell(glyph: cell.glyph, codes: Set(cell.style.codes(isColoured: true)))
            }
        }
    }

    mutating func show(_ bytes: [UInt8]) {
        let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            switch scalar {
            case "\u{1B}":
                guard index < scalars.count, scalars[index] == "[" else {
                    complaints.append("an ESC that begins nothing")
                    continue
                }
                let start = index + 1
                let end = scalars[start...].firstIndex { (0x40...0x7E).contains($0.value) }
                guard let end else { return complaints.append("a sequence without an end") }
                let text = String(String.UnicodeScalarView(scalars[start..<end]))
                obey(Character(scalars[end]), text)
                index = end + 1
            case "\r": column = 0
            case "\n":
                if row == size.rows - 1 { complaints.append("the screen would scroll") }
                row = min(row + 1, size.rows - 1)
            default: write(scalar)
            }
        }
    }

    private mutating func obey(_ command: Character, _ text: String) {
        let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
        let first = numbers.first ?? nil
        switch command {
        case "H":
            row = min(max((first ?? 1) - 1, 0), size.rows - 1)
            column = min(max((numbers.count > 1 ? numbers[1] ?? 1 : 1) - 1, 0), size.columns - 1)
        case "C":
            guard let here = column else { return complaints.append("moved from nowhere") }
            column = min(here + (first ?? 1), size.columns - 1)
        case "K":
            guard let here = column else { return complaints.append("erased from nowhere") }
            if !codes.isEmpty { complaints.append("erased in a style") }
            for place in here..<size.columns { put(Cell(), at: place) }
        case "J":
            if first != 2 || !codes.isEmpty { complaints.append("a strange erasure") }
            let line = Array(repeating: Cell(), count: size.columns)
            cells = Array(repeating: line, count: size.rows)
        case "m":
            for number in numbers {
                if (number ?? 0) == 0 { codes = [] } else if let number { codes.insert(number) }
            }
        default: complaints.append("unknown: \(command)")
        }
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
            return complaints.append("a control character \(scalar.value)")
        }
        let width = GlyphWidth.columns(of: scalar) ?? 1
        if width == 0 {
            // The mark belongs to what was written last.
            guard let last = lastWritten else { return complaints.append("a mark on nothing") }
            cells[last.row][last.column].glyph.unicodeScalars.append(scalar)
            return
        }
        guard let here = column else { return complaints.append("wrote \(scalar) nowhere") }
        guard here + width <= size.columns else { return complaints.append("beyond the edge") }
        put(Cell(glyph: String(scalar), codes: codes), at: here)
        if width == 2 { put(Cell(glyph: "", codes: codes), at: here + 1) }
        lastWritten = (row, here)
        let isSure = scalar.isASCII || (0x2500...0x259F).contains(scalar.value)
        // At the edge terminals differ in where the cursor is.
        column = isSure && here + width < size.columns ? here + width : nil
    }

    private var lastWritten: (row: Int, column: Int)?

    /// Half of a wide character is never left over.
    private mutating func put(_ cell: Cell, at place: Int) {
        if cells[row][place].glyph.isEmpty, !cell.glyph.isEmpty, place > 0,
            cells[row][place - 1].glyph != " "
        {
            cells[row][place - 1].glyph = " "
        }
        if place + 1 < size.columns, cells[row][place + 1].glyph.isEmpty {
            cells[row][place + 1].glyph = " "
        }
        cells[row][place] = cell
    }
}
