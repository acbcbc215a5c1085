package import CacheModel

/// The screen of `martlet top`: knows a cluster, and how somebody wants to see it.
///
/// ```
///   ClusterNews ──learn──▶ ┌────────────────┐
///   ConsoleKey ───press──▶ │ ClusterConsole │ ──screen(size, now)──▶ Screen
///   time ───────passTime─▶ └────────────────┘ ──ConsoleAction──▶ the shell
/// ```
///
/// One loop owns it and tells it, in any order, what was heard of the cluster, which keys were
/// pressed and that time has passed; whenever that loop likes it asks for the screen of a size. It
/// reads no clock, knows no terminal and asks nobody: how often the cluster is looked at, and how
/// fast frames go out, are the shell's. What it keeps is bounded by ``ConsoleLimits``, but for the
/// cluster's own nodes. It makes nothing up: a figure that was not told is a dash, one that is old
/// is faint and says how old, and a counter that began anew has no rate.
package struct ClusterConsole: Sendable {
    /// What fills the screen.
    enum Page: Hashable {
        case table
        case node(NodeID)
        case help
    }

    package var settings: ConsoleSettings
    /// Whether frames were dropped since the last one, because the terminal took no more.
    package var isLineSlow = false
    private var live = ClusterBook()
    private var pausedAt: Instant?
    private var paused: ClusterBook?
    private let startedAt: Instant
    private var momentAt: Instant

    var page = Page.table
    var selected: NodeID?
    /// What is typed as a filter while it is typed.
    var draft: String?
    /// Whether it is for what is no terminal: without what only keys have a use for.
    var isText = false
    /// Lines of a page that are above the screen.
    var scroll = 0

    package init(_ settings: ConsoleSettings, now: Instant) {
        self.settings = settings
        startedAt = now
        momentAt = now
    }

    /// What is shown: as it is, or as it was when the screen was paused.
    package var book: ClusterBook { paused ?? live }

    var isPaused: Bool { paused != nil }

    package mutating func learn(_ news: ClusterNews, now: Instant) { live.learn(news, now: now) }

    /// Notes once an interval how the cluster goes. To be called at least that often.
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

    /// The moment that is shown.
    func moment(_ now: Instant) -> Instant { pausedAt ?? now }

    /// For how long it has been running.
    func age(_ now: Instant) -> Duration { now.elapsed(since: startedAt) }

    /// The nodes that the filter lets through, in the order asked for.
    package func nodeRows(now: Instant) -> [NodeRow] {
        let book = book
        let moment = moment(now)
        let filter = (draft ?? settings.filter).lowercased()
        let rows = book.nodes.map { node in
            (node, NodeRow(node, in: book, staleAfter: settings.staleAfter, now: moment))
        }.filter { Self.matches($0, $1, filter) }.map(\.1)
        return settings.sort.sorted(rows, isReversed: settings.isReversed)
    }

    /// By its name, where it is, and how it stands as the screen shows it.
    private static func matches(_ book: NodeBook, _ row: NodeRow, _ filter: String) -> Bool {
        if filter.isEmpty { return true }
        let words = [book.node.name, row.standing.word] + book.endpoints
        return words.contains { $0.lowercased().contains(filter) }
    }

    /// The node that keys are about: the selected one, or the first.
    func selection(in rows: [NodeRow]) -> Int? {
        if rows.isEmpty { return nil }
        return rows.firstIndex { $0.node == selected } ?? 0
    }

    /// The terminal's picture.
    package func screen(_ size: ScreenSize, now: Instant) -> Screen {
        var screen = Screen(size)
        let headerRows = drawHeader(on: &screen, now: now)
        let footerRows = size.rows >= 8 && !isText ? 1 : 0
        let body = headerRows..<max(headerRows, size.rows - footerRows)
        switch page {
        case _ where book.topology == nil: drawAbsence(on: &screen, body, now: now)
        case .table: drawTablePage(on: &screen, body, now: now)
        case .node(let node): drawNode(node, on: &screen, body, now: now)
        case .help: drawHelp(on: &screen, body)
        }
        if footerRows > 0 || draft != nil { drawFooter(on: &screen) }
        return screen
    }
}
