import CacheModel

extension ClusterConsole {
    /// Columns for which no node has a value.
    var emptyColumns: Set<NodeColumn> {
        var empty: Set<NodeColumn> = []
        if !cluster.nodes.contains(where: { $0.track.sum("disk_open") != nil }) {
            empty.insert(.disk)
        }
        if !cluster.nodes.contains(where: { cluster.slots(of: $0.node) != nil }) {
            empty.insert(.slots)
        }
        return empty
    }

    func drawTablePage(on screen: inout Screen, _ body: Range<Int>, now: Instant) {
        var body = body
        if settings.showsStream, body.count >= 10 {
            // A third of the rows, or the rows that the table leaves free.
            let spare = body.count - cluster.nodes.count - 3
            let rows = min(max(body.count / 3, spare), body.count - 6, 40)
            let top = body.upperBound - rows
            drawStream(on: &screen, top..<body.upperBound, now: now)
            body = body.lowerBound..<top
        }
        drawTable(on: &screen, body, now: now)
    }

    private func drawTable(on screen: inout Screen, _ body: Range<Int>, now: Instant) {
        guard let top = body.first else { return }
        let rows = nodeRows(now: now)
        let names = cluster.nodes.map { $0.node.name.count }
        let nodeWidth = min(max(names.max() ?? 0, NodeColumn.node.width), 24)
        // The left column is for the mark of the selected row.
        let columns = NodeColumn.fitting(
            screen.size.columns - 1, nodeWidth: nodeWidth, without: emptyColumns)
        let table = TableFrame(columns, nodeWidth: nodeWidth)
        table.drawTitles(on: &screen, row: top, settings)
        let index = selection(in: rows)
        let room = noteRoom(body, rows, index)
        // The selected row stays visible, and in the middle if there are more on both sides.
        let first = min(max(0, (index ?? 0) - room.count / 2), max(0, rows.count - room.count))
        for (row, place) in zip(rows[first...], room) {
            table.draw(row, on: &screen, row: place)
            guard !isText, let index, row.node == rows[index].node else { continue }
            screen.put("›", row: place, column: 0, .strong)
            screen.restyle(row: place) { $0.isReversed = true }
        }
        if rows.isEmpty, let place = room.first {
            let filter = draft ?? settings.filter
            let text = filter.isEmpty ? "no nodes" : "no node matches \(filter)"
            screen.put(text, row: place, column: 1, .faint)
        }
        if let index, let place = body.last, place > room.upperBound - 1, room.count > 0,
            let reason = rows[index].reason, rows[index].standing != .told(.live)
        {
            screen.put("\(rows[index].node.name): \(reason)", row: place, column: 1, .warning)
        }
    }

    /// The rows for nodes, without the last one if it shows a note about the selected node.
    private func noteRoom(_ body: Range<Int>, _ rows: [NodeRow], _ index: Int?) -> Range<Int> {
        let all = body.lowerBound + 1..<max(body.lowerBound + 1, body.upperBound)
        guard !isText, let index, all.count >= 4, rows[index].reason != nil,
            rows[index].standing != .told(.live)
        else { return all }
        return all.lowerBound..<all.upperBound - 1
    }

    // MARK: The stream

    private func drawStream(on screen: inout Screen, _ rows: Range<Int>, now: Instant) {
        let stream = cluster.stream
        var title = "invalidations"
        if stream.isPartial { title += ", of the part that your key may read" }
        if let failure = stream.failure { title += ", not told any more: \(failure)" }
        let end = screen.put(
            title, row: rows.lowerBound, column: 1, .strong, columnsMax: screen.size.columns - 2)
        let line = String(repeating: "─", count: max(0, screen.size.columns - end - 1))
        screen.put(line, row: rows.lowerBound, column: end + 1, .faint)
        let room = rows.dropFirst()
        let lines = stream.newest(room.count)
        if lines.isEmpty, let row = room.first {
            screen.put(stream.failure == nil ? "none yet" : "none", row: row, column: 1, .faint)
        }
        for (line, row) in zip(lines, room) { draw(line, on: &screen, row: row, now: now) }
    }

    private func draw(
        _ line: RecentInvalidations.Line, on screen: inout Screen, row: Int, now: Instant
    ) {
        let age = FigureWord.age(moment(now).elapsed(since: line.at))
        screen.put(age, row: row, endingAt: 7, .faint, columnsMax: 6)
        var column = screen.put(line.position.description, row: row, column: 9)
        column = screen.put(
            line.word, row: row, column: max(column + 2, 20),
            line.word == "hard" ? .accent : .warning)
        // Foreign text comes last, so that it can displace nothing to its right.
        screen.put(line.text, row: row, column: column + 2)
    }
}

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
