/// Rows of aligned columns for people.
package struct Table {
    /// What a cell says about the state of things, beside its text.
    package enum Tone: String {
        case plain = ""
        case good = "32"
        case warning = "33"
        case bad = "31"
    }

    package struct Cell: ExpressibleByStringLiteral {
        package var text: String
        package var tone = Tone.plain

        package init(_ text: String, _ tone: Tone = .plain) {
            self.text = text
            self.tone = tone
        }

        package init(stringLiteral value: String) { self.init(value) }
    }

    package struct Column {
        package enum Side { case left, right }

        package var title: String
        package var side: Side
        /// Wider cells stick out instead of widening all others.
        package var widthMax: Int

        package static func left(_ title: String, widthMax: Int = .max) -> Column {
            Column(title: title, side: .left, widthMax: widthMax)
        }

        package static func right(_ title: String) -> Column {
            Column(title: title, side: .right, widthMax: .max)
        }
    }

    package let columns: [Column]
    package private(set) var rows: [[Cell]] = []
    /// Widths so far. They only grow, also when rows were removed, so that the parts of a long
    /// table stand below each other.
    private var widths: [Int]

    package init(_ columns: [Column]) {
        self.columns = columns
        widths = columns.map(\.title.count)
    }

    package mutating func add(_ row: [Cell]) {
        precondition(row.count == columns.count, "a row has a cell for each column")
        rows.append(row)
        for (index, cell) in row.enumerated() where cell.text.count <= columns[index].widthMax {
            widths[index] = max(widths[index], cell.text.count)
        }
    }

    /// Takes the rows away and keeps the widths.
    package mutating func removeRows() { rows.removeAll() }

    /// The titles and the rows, a line for each.
    package func text(isColoured: Bool, hasTitles: Bool = true) -> String {
        let titles = hasTitles ? line(columns.map { Cell($0.title) }, isColoured: false) : ""
        return rows.reduce(titles) { $0 + line($1, isColoured: isColoured) }
    }

    private func line(_ cells: [Cell], isColoured: Bool) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "  " }
            let gap = String(repeating: " ", count: max(0, widths[index] - cell.text.count))
            let text = isColoured ? cell.coloured : cell.text
            line += columns[index].side == .left ? text + gap : gap + text
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}

extension Table.Cell {
    fileprivate var coloured: String {
        tone == .plain ? text : "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }
}
