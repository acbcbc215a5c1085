import CacheModel

extension ClusterConsole {
    /// Draws the title and the state of the cluster.
    ///
    /// - Returns: how many rows that took.
    func drawHeader(on screen: inout Screen, now: Instant) -> Int {
        let rows = screen.size.rows
        drawTitle(on: &screen, now: now)
        guard rows >= 4, cluster.topology != nil else { return min(rows, rows >= 10 ? 2 : 1) }
        drawSummary(on: &screen, row: 1, now: now)
        guard rows >= 8 else { return 2 }
        drawTotals(on: &screen, row: 2, now: now)
        return rows >= 16 ? 4 : 3
    }

    private func drawTitle(on screen: inout Screen, now: Instant) {
        let columns = screen.size.columns
        let (text, style) = mood(now)
        let right = GlyphRun(text).columns
        var column = screen.put("martlet top", row: 0, column: 0, .strong)
        let room = columns - right - 1 - (column + 2)
        if room > 4 {
            column = screen.put(
                cluster.topology?.publisher ?? settings.endpoints, row: 0, column: column + 2,
                .faint, columnsMax: room)
        }
        if columns - right >= 12 {
            screen.put(text, row: 0, endingAt: columns, style, columnsMax: right)
        }
    }

    /// The state of the display: paused, outdated, slow, or the interval.
    private func mood(_ now: Instant) -> (String, CellStyle) {
        let moment = moment(now)
        if isPaused { return ("PAUSED \(FigureWord.age(now.elapsed(since: moment)))", .warning) }
        let newest = cluster.nodes.compactMap(\.track.readAt).max()
        let readAt = [newest, cluster.publisherTrack.readAt].compactMap(\.self).max()
        if let readAt, now.elapsed(since: readAt) > settings.staleAfter {
            return ("figures are \(FigureWord.age(now.elapsed(since: readAt))) old", .bad)
        }
        if isLineSlow { return ("slow line: frames are left out", .warning) }
        return ("every \(FigureWord.time(settings.interval))", .faint)
    }

    // MARK: Summary

    private func drawSummary(on screen: inout Screen, row: Int, now: Instant) {
        var spans = publisherSpans(now)
        spans.append(("  nodes", .faint))
        let rows = cluster.nodes.map {
            NodeRow($0, in: cluster, staleAfter: settings.staleAfter, now: moment(now))
        }
        let live = rows.count { $0.standing == .told(.live) }
        spans.append((" \(live)/\(rows.count) live", live == rows.count ? .good : .warning))
        for (word, count, style) in Self.others(rows) where count > 0 {
            spans.append((" \(count) \(word)", style))
        }
        let troubled = cluster.nodes.count { node in
            !RoleTrouble.ofNode(node.sighting?.shards.map(\.figures) ?? []).isEmpty
        }
        if troubled > 0 { spans.append((" \(troubled) in trouble", .bad)) }
        if let count = cluster.publisher?.figures["pacings"], count > 0 {
            spans.append(("  paced", .faint))
            spans.append((" \(count)", .plain))
        }
        if let count = cluster.publisher?.figures["slots_waiting"], count > 0 {
            spans.append(("  slots that move", .faint))
            spans.append((" \(count)", .warning))
        }
        let fillingCount = cluster.nodes.count { $0.filling != nil }
        if fillingCount > 0 {
            spans.append(("  being filled", .faint))
            spans.append((" \(fillingCount)", .warning))
        }
        if let topology = cluster.topology { spans.append(("  \(topology.kind)", .faint)) }
        screen.put(spans, row: row)
    }

    private func publisherSpans(_ now: Instant) -> [(String, CellStyle)] {
        var spans: [(String, CellStyle)] = [("publisher", .faint)]
        if let absence = cluster.publisherAbsence {
            let since = cluster.publisherAbsentSince.map {
                " for " + FigureWord.age(moment(now).elapsed(since: $0))
            }
            spans.append((absence.isDenial ? " DENIED" : " UNREACHABLE", .bad))
            spans.append((since ?? "", .bad))
        } else if let publisher = cluster.publisher {
            let style: CellStyle = publisher.state == .live ? .good : .warning
            spans.append((" \(publisher.state)", style))
            if !RoleTrouble.ofPublisher(publisher.figures).isEmpty {
                let isRefusing = (publisher.figures["log_refusing"] ?? 0) > 0
                spans.append((isRefusing ? " REFUSES INVALIDATIONS" : " IN TROUBLE", .bad))
            }
        } else {
            spans.append((" …", .faint))
        }
        spans.append(("  head", .faint))
        spans.append((" \(cluster.head.map(\.description) ?? FigureWord.none)", .strong))
        return spans
    }

    private static func others(_ rows: [NodeRow]) -> [(String, Int, CellStyle)] {
        let suspect = rows.count { $0.standing == .told(.suspect) }
        let unreachable = rows.count { $0.standing == .unreachable }
        let denied = rows.count { $0.standing == .denied }
        let live = rows.count { $0.standing == .told(.live) }
        let rest = rows.count - suspect - unreachable - denied - live
        return [
            ("unreachable", unreachable, .bad), ("suspect", suspect, .warning),
            ("denied", denied, .warning), ("other", rest, .warning),
        ]
    }

    // MARK: Totals

    private func drawTotals(on screen: inout Screen, row: Int, now: Instant) {
        let totals = cluster.totals
        let blocks: [(String, String, Double?, (ClusterTotals) -> Double?)] = [
            ("gets/s", totals.gets.map(FigureWord.rate) ?? FigureWord.none, nil, { $0.gets }),
            ("hits", totals.hitShare.map(FigureWord.share) ?? FigureWord.none, 1, { $0.hitShare }),
            (
                "inv/s", totals.invalidations.map(FigureWord.rate) ?? FigureWord.none, nil,
                { $0.invalidations }
            ),
        ]
        let width = min(screen.size.columns / blocks.count, 64)
        for (index, block) in blocks.enumerated() {
            let start = index * width
            var column = screen.put(block.0, row: row, column: start, .faint)
            screen.put(block.1, row: row, endingAt: column + 7, .strong, columnsMax: 6)
            column += 8
            // One column to the next, and never more parts than seconds.
            let room = min(start + width - 2 - column, 60)
            guard room >= 4 else { continue }
            let means = cluster.history.means(block.3, in: room, now: moment(now))
            screen.put(
                Sparkline.text(means, most: block.2), row: row, column: column, .accent)
        }
    }
}

/// Values over time, one character each.
package enum Sparkline {
    private static let steps = Array("▁▂▃▄▅▆▇█")

    /// - Parameter most: the value of a full block; by default the greatest of `values`.
    /// - Returns: one character for each value; blank for `nil`.
    package static func text(_ values: [Double?], most: Double? = nil) -> String {
        let top = most ?? values.compactMap(\.self).max() ?? 0
        return String(
            values.map { value -> Character in
                guard let value else { return " " }
                guard top > 0, value > 0 else { return steps[0] }
                return steps[min(7, max(0, Int((value / top * 8).rounded(.up)) - 1))]
            })
    }
}
