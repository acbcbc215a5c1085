import CacheModel

extension ClusterConsole {
    private typealias Line = [(text: String, style: CellStyle)]

    func drawNode(_ node: NodeID, on screen: inout Screen, _ body: Range<Int>, now: Instant) {
        guard let known = cluster.nodes.first(where: { $0.node == node }) else {
            return drawLines(
                [[("\(node.name) is not in the topology any more", .warning)]],
                on: &screen, body)
        }
        let row = NodeRow(known, in: cluster, staleAfter: settings.staleAfter, now: moment(now))
        var lines: [Line] = standing(known, row)
        if let reason = row.reason, row.standing != .told(.live) {
            lines += Self.wrapped(reason, columns: screen.size.columns - 2).map {
                [(" \($0)", .warning)]
            }
        }
        if let filling = known.filling { lines.append([(" \(filling.sentence)", .warning)]) }
        if known.sighting != nil {
            lines += [[]] + shards(known) + [[]] + [hitRatio(row)]
            lines += Self.requests.flatMap { counters($0, row, $1) } + tiers(row)
            lines += Self.others.flatMap { counters($0, row, $1) }
        }
        drawLines(lines, on: &screen, body)
    }

    private func standing(_ known: NodeSnapshot, _ row: NodeRow) -> [Line] {
        let since = row.since.map { " for \(FigureWord.age($0))" } ?? ""
        return [
            [
                (known.node.name, .strong), ("  ", .plain),
                (row.standing.word + since, row.standing.style),
                ("  lease ", .faint),
                (row.leaseLeft.map(FigureWord.time) ?? FigureWord.none, .plain),
                ("  applied ", .faint),
                (known.applied.map(\.description) ?? FigureWord.none, .plain),
                ("  lag ", .faint), (NodeColumn.lag.text(row), NodeColumn.lag.style(row)),
                ("  behind ", .faint), (NodeColumn.behind.text(row), NodeColumn.behind.style(row)),
            ],
            [(known.endpoints.joined(separator: " "), .faint)],
        ]
    }

    private func shards(_ known: NodeSnapshot) -> [Line] {
        let titles = ["shard", "state", "applied", "gets/s", "hits", "entries", "memory"]
        let widths = [5, 12, 14, 8, 7, 9, 9]
        func line(_ cells: [String], _ style: CellStyle) -> Line {
            let text = zip(cells, widths).map { cell, width in
                String(repeating: " ", count: max(0, width - cell.count)) + cell
            }
            return [(text.joined(separator: " "), style)]
        }
        let style: CellStyle = known.absence == nil ? .plain : .faint
        let rows = (known.sighting?.shards ?? []).enumerated().map { index, shard in
            let track = known.track
            let hits = HitShare.share(
                track.rate("hits", part: index), track.rate("stale_hits", part: index),
                track.rate("misses", part: index))
            return line(
                [
                    shard.figures["shard"].map(String.init) ?? "\(index)",
                    shard.state.description, shard.position.description,
                    track.rate("gets", part: index).map(FigureWord.rate) ?? FigureWord.none,
                    hits.map(FigureWord.share) ?? FigureWord.none,
                    shard.figures["entries"].map(FigureWord.count) ?? FigureWord.none,
                    shard.figures["memory_bytes"].map(FigureWord.size) ?? FigureWord.none,
                ], style)
        }
        return [line(titles, CellStyle(.good, isStrong: true))] + rows
    }

    // MARK: Figures

    /// Rows of counters: name, total, and rate in a second.
    private func counters(
        _ title: String, _ row: NodeRow, _ names: KeyValuePairs<String, String>
    ) -> [Line] {
        let parts: Line = names.compactMap { name, figure in
            guard let sum = row.track.sum(figure) else { return nil }
            let rate = row.track.rate(figure).map { $0 > 0 ? " (\(FigureWord.rate($0))/s)" : "" }
            return ("\(name) \(FigureWord.count(sum))\(rate ?? "")", .plain)
        }
        guard !parts.isEmpty else { return [] }
        return [head(title) + Array(parts.map { [$0] }.joined(separator: [("  ", .plain)]))]
    }

    private func head(_ title: String) -> Line {
        let gap = String(repeating: " ", count: max(1, 10 - title.count))
        return [(title + gap, CellStyle(.accent, isStrong: true))]
    }

    private func hitRatio(_ row: NodeRow) -> Line {
        let now = row.hitShare.map(FigureWord.share) ?? FigureWord.none
        let ever = HitShare.whole(row.track).map(FigureWord.share) ?? FigureWord.none
        return head("hit ratio") + [("now \(now)  since its start \(ever)", .plain)]
    }

    /// Rows of counters above the tiers: a name and a figure for each.
    private static let requests: KeyValuePairs<String, KeyValuePairs<String, String>> = [
        "lookups": [
            "gets": "gets", "hits": "hits", "stale": "stale_hits", "misses": "misses",
            "behind": "behind",
        ],
        "changes": [
            "sets": "sets", "stored": "stored", "removes": "removes", "touches": "touches",
        ],
    ]

    /// The same below the tiers.
    private static let others: KeyValuePairs<String, KeyValuePairs<String, String>> = [
        "removed": [
            "evicted": "removed_evicted", "expired": "removed_expired",
            "invalidated": "removed_invalidated", "replaced": "removed_replaced",
            "forgotten": "removed_forgotten",
        ],
        "loads": [
            "begun": "loads", "failed": "loads_failed", "joined": "loads_joined",
            "overtaken": "loads_overtaken", "ahead": "load_refreshes",
        ],
        "log": [
            "applied by all shards": "applied_records", "forgot all": "forgotten",
            "newer form": "newer_records",
        ],
        "requests": [
            "messages": "messages", "waiting": "waiting", "busy": "busy", "moved": "moved",
            "refused": "refused_messages", "denied": "denied_messages",
            "descriptors": "descriptors",
        ],
    ]

    private func tiers(_ row: NodeRow) -> [Line] {
        let used = row.track.sum("memory_bytes").map(FigureWord.size) ?? FigureWord.none
        let most = row.track.sum("memory_bytes_max").map(FigureWord.size) ?? FigureWord.none
        let share = row.memoryShare.map { " (\(FigureWord.share($0)))" } ?? ""
        let entries = row.track.sum("entries").map(FigureWord.count) ?? FigureWord.none
        var lines = [
            head("memory") + [("\(used) of \(most)\(share)  entries \(entries)", .plain)]
        ]
        if let most = row.track.sum("disk_bytes_max") {
            let entries = row.track.sum("disk_entries").map(FigureWord.count) ?? FigureWord.none
            let open = row.track.sum("disk_open") ?? 0
            let isWhole = open == UInt64(row.track.parts.count)
            let used = row.track.sum("disk_bytes").flatMap { $0 < most ? $0 : nil }
            let room = used.map { "\(FigureWord.size($0)) of " } ?? ""
            lines.append(
                head("disk") + [
                    ("\(room)\(FigureWord.size(most))  entries \(entries)  ", .plain),
                    ("open \(open)/\(row.track.parts.count)", isWhole ? .plain : .warning),
                ])
            lines += counters(
                "", row,
                [
                    "reads": "disk_reads", "promoted": "disk_promoted",
                    "appended": "disk_appended", "shed": "disk_stores_shed",
                    "damaged": "disk_damaged",
                ])
        }
        return lines
    }
}
