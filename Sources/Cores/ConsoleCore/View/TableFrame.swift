/// Columns and their positions.
struct TableFrame {
    private let places: [(column: NodeColumn, start: Int, width: Int)]

    init(_ columns: [NodeColumn], nodeWidth: Int) {
        var start = 1
        places = columns.map { column in
            let width = column == .node ? nodeWidth : column.width
            defer { start += width + 1 }
            return (column, start, width)
        }
    }

    func drawTitles(on screen: inout Screen, row: Int, _ settings: ConsoleSettings) {
        let style = CellStyle(.good, isReversed: true)
        for place in places {
            let isSorted = place.column == settings.sort
            var title = place.column.title
            if isSorted {
                let isRising = (place.column == .node) != settings.isReversed
                title += isRising ? "▲" : "▼"
            }
            put(title, place, on: &screen, row, isSorted ? .strong : .plain)
        }
        screen.restyle(row: row) {
            $0.tone = style.tone
            $0.isReversed = true
        }
    }

    func draw(_ node: NodeRow, on screen: inout Screen, row: Int) {
        for place in places {
            put(place.column.text(node), place, on: &screen, row, place.column.style(node))
        }
    }

    private func put(
        _ text: String, _ place: (column: NodeColumn, start: Int, width: Int),
        on screen: inout Screen, _ row: Int, _ style: CellStyle
    ) {
        // A title with its arrow may use the gap before it.
        let isWide = text.count > place.width
        if place.column.isLeft {
            screen.put(
                text, row: row, column: place.start, style,
                columnsMax: place.width + (isWide && text.last == "▲" ? 1 : 0))
        } else {
            screen.put(
                text, row: row, endingAt: place.start + place.width, style,
                columnsMax: place.width + 1)
        }
    }
}
