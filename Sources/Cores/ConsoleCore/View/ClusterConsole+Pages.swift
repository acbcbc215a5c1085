import CacheModel

extension ClusterConsole {
    /// Upper bound of the lines that a page can scroll.
    var pageLinesMax: Int { 64 + cluster.nodes.reduce(0) { max($0, $1.track.parts.count) } }

    // MARK: No topology

    func drawAbsence(on screen: inout Screen, _ body: Range<Int>, now: Instant) {
        let lines: [(String, CellStyle)]
        if let trouble = cluster.trouble {
            lines = [
                ("no cluster yet, for \(FigureWord.age(age(now)))", .bad),
                ("trying \(settings.endpoints), again and again", .plain), (trouble, .faint),
            ]
        } else {
            lines = [("asking \(settings.endpoints) for the topology", .plain)]
        }
        var rows = body
        for (text, style) in lines {
            for part in Self.wrapped(text, columns: screen.size.columns - 2) {
                guard let row = rows.popFirst() else { return }
                screen.put(part, row: row, column: 1, style)
            }
        }
    }

    /// Wraps text to lines of at most `columns` characters, at spaces if possible.
    static func wrapped(_ text: String, columns: Int) -> [String] {
        guard columns > 0 else { return [] }
        var lines: [String] = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + 1 + word.count <= columns {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    // MARK: Help

    func drawHelp(on screen: inout Screen, _ body: Range<Int>) {
        drawLines(Self.help.map { [($0.0, .strong), ($0.1, .plain)] }, on: &screen, body)
    }

    private static let help: [(String, String)] = [
        ("", "Keys"),
        ("  ↑ ↓  j k       ", "select a node; also page up, page down, home, end"),
        ("  ← →  < >       ", "sort by the column beside; r turns the order round"),
        ("  /              ", "show only nodes with a text in name, state or endpoint; esc: all"),
        ("  enter          ", "everything about the selected node; esc: back"),
        ("  i              ", "invalidations on, off"),
        ("  p  space       ", "pause: the screen freezes, the cluster does not"),
        ("  ctrl-l         ", "redraw"),
        ("  q  ctrl-c      ", "quit; ctrl-z suspends"),
        ("", ""),
        ("", "Columns"),
        ("  FOR            ", "how long the node has been in a state that is not LIVE"),
        ("  LEASE          ", "how long it may still call entries fresh; of one that is away,"),
        ("                 ", "how long invalidations wait for it"),
        ("  LAG  BEHIND    ", "records it is owed, and since when, as seen from here"),
        ("  HITS           ", "share of the last interval's lookups that were served"),
        ("  MEMORY  USED   ", "what entries take, and which part of what they may"),
        ("  INV/S          ", "records of the log that it applies in a second"),
        ("  FDS            ", "descriptors that its process has open"),
        ("  –              ", "not reported, or a counter was reset. Faint: from before"),
    ]

    /// Shows lines from ``scroll`` on, at most up to the last one at the bottom.
    func drawLines(
        _ lines: [[(text: String, style: CellStyle)]], on screen: inout Screen,
        _ body: Range<Int>
    ) {
        let first = min(scroll, max(0, lines.count - body.count))
        for (line, row) in zip(lines.dropFirst(first), body) { screen.put(line, row: row) }
    }

    // MARK: The last row

    func drawFooter(on screen: inout Screen) {
        let row = screen.size.rows - 1
        if let draft {
            let spans: [(String, CellStyle)] = [
                ("/", .strong), (draft, .plain), (" ", CellStyle(isReversed: true)),
                ("  enter keeps it, esc does not", .faint),
            ]
            return screen.put(spans, row: row)
        }
        var spans: [(String, CellStyle)] = []
        for (key, word) in hints {
            spans.append((key, CellStyle(.accent, isStrong: true)))
            spans.append((" \(word)  ", .plain))
        }
        if page == .table, !settings.filter.isEmpty {
            spans.insert(("/\(settings.filter)  ", .warning), at: 0)
        }
        screen.put(spans, row: row)
    }

    private var hints: [(String, String)] {
        switch page {
        case .table:
            [
                ("q", "quit"), ("?", "help"), ("/", "filter"), ("< >", "sort"), ("r", "reverse"),
                ("enter", "node"), ("i", "stream"), ("p", isPaused ? "go on" : "pause"),
            ]
        case .node, .help:
            [("esc", "back"), ("↑ ↓", "scroll"), ("p", isPaused ? "go on" : "pause")]
        }
    }
}
