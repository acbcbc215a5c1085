package import CacheModel

/// The screen of `martlet top`: the state of a cluster, and how the user wants to see it.
///
/// ```
///   ClusterNews ──learn──▶ ┌────────────────┐
///   ConsoleKey ───press──▶ │ ClusterConsole │ ──screen(size, now)──▶ Screen
///   time ───────passTime─▶ └────────────────┘ ──ConsoleAction──▶ the shell
/// ```
///
/// One loop owns it. In any order, the loop passes it events about the cluster, pressed keys and
/// the time, and asks it for a screen of some size. It reads no clock, knows no terminal and sends
/// no requests: the shell decides how often to ask the cluster, and how fast to send frames.
/// ``ConsoleLimits`` bounds its memory, except for the cluster's own nodes. It invents nothing. A
/// missing value is a dash, an old one is faint and shows its age, and a counter that began anew
/// has no rate.
package struct ClusterConsole: Sendable {
    enum Page: Hashable {
        case table
        case node(NodeID)
        case help
    }

    package var settings: ConsoleSettings
    /// Whether frames were dropped since the last one, because the terminal was too slow.
    package var isLineSlow = false
    private var live = ClusterOverview()
    private var pausedAt: Instant?
    private var paused: ClusterOverview?
    private let startedAt: Instant
    private var momentAt: Instant

    var page = Page.table
    var selected: NodeID?
    /// The filter text while the user types it.
    var draft: String?
    /// Whether the output is no terminal: key bindings are left out.
    var isText = false
    /// Lines of a page above the screen.
    var scroll = 0

    package init(_ settings: ConsoleSettings, now: Instant) {
        self.settings = settings
        startedAt = now
        momentAt = now
    }

    /// The shown state: the live one, or that of the pause.
    package var cluster: ClusterOverview { paused ?? live }

    var isPaused: Bool { paused != nil }

    package mutating func learn(_ news: ClusterNews, now: Instant) { live.learn(news, now: now) }

    /// Adds the totals to the history once an interval. Call it at least that often.
    package mutating func passTime(now: Instant) {
        guard now.elapsed(since: momentAt) >= settings.interval else { return }
        momentAt = now
        live.noteMoment(now: now)
    }

    mutating func pause(now: Instant) {
        if paused == nil {
            paused = live
            pausedAt = now
        } else {
            paused = nil
            pausedAt = nil
        }
    }

    func moment(_ now: Instant) -> Instant { pausedAt ?? now }

    func age(_ now: Instant) -> Duration { now.elapsed(since: startedAt) }

    /// The nodes that match the filter, in the selected order.
    package func nodeRows(now: Instant) -> [NodeRow] {
        let cluster = cluster
        let moment = moment(now)
        let filter = (draft ?? settings.filter).lowercased()
        let rows = cluster.nodes.map { node in
            (node, NodeRow(node, in: cluster, staleAfter: settings.staleAfter, now: moment))
        }.filter { Self.matches($0, $1, filter) }.map(\.1)
        return settings.sort.sorted(rows, isReversed: settings.isReversed)
    }

    private static func matches(_ snapshot: NodeSnapshot, _ row: NodeRow, _ filter: String) -> Bool
    {
        if filter.isEmpty { return true }
        let words = [snapshot.node.name, row.standing.word] + snapshot.endpoints
        return words.contains { $0.lowercased().contains(filter) }
    }

    func selection(in rows: [NodeRow]) -> Int? {
        if rows.isEmpty { return nil }
        return rows.firstIndex { $0.node == selected } ?? 0
    }

    /// The screen for the terminal.
    package func screen(_ size: ScreenSize, now: Instant) -> Screen {
        var screen = Screen(size)
        let headerRows = drawHeader(on: &screen, now: now)
        let footerRows = size.rows >= 8 && !isText ? 1 : 0
        let body = headerRows..<max(headerRows, size.rows - footerRows)
        switch page {
        case _ where cluster.topology == nil: drawAbsence(on: &screen, body, now: now)
        case .table: drawTablePage(on: &screen, body, now: now)
        case .node(let node): drawNode(node, on: &screen, body, now: now)
        case .help: drawHelp(on: &screen, body)
        }
        if footerRows > 0 || draft != nil { drawFooter(on: &screen) }
        return screen
    }
}

extension ClusterConsole {
    /// Header and table as lines of text, without key bindings and of any height: for output that
    /// is no terminal.
    package func page(columns: Int, now: Instant) -> [String] {
        var console = self
        console.settings.showsStream = false
        console.isText = true
        let size = ScreenSize(columns: columns, rows: max(20, cluster.nodes.count + 8))
        var lines = console.screen(size, now: now).text
        while lines.last == "" { lines.removeLast() }
        return lines
    }
}

extension ClusterOverview {
    /// Whether the publisher and every node were read twice, or are away.
    package var tellsRates: Bool {
        let isPublisherThere = publisherAbsence != nil || publisherTrack.rate("records") != nil
        return isPublisherThere
            && nodes.allSatisfy { $0.absence != nil || $0.track.rate("messages") != nil }
    }
}

/// The user's settings of the screen.
package struct ConsoleSettings: Hashable, Sendable {
    /// Time between two rounds of asking the cluster.
    package var interval: Duration
    /// The endpoints to try, as the user named them.
    package var endpoints: String
    package var sort = NodeColumn.node
    package var isReversed = false
    package var filter = ""
    package var showsStream = true

    package init(interval: Duration, endpoints: String) {
        self.interval = interval
        self.endpoints = endpoints
    }

    /// Age from which a value is stale.
    package var staleAfter: Duration { interval * ConsoleLimits.staleIntervals }
}
