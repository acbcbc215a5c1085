package import CacheModel

extension ClusterConsole {
    /// Performs the function of a key.
    package mutating func press(_ key: ConsoleKey, now: Instant) -> ConsoleAction {
        switch key {
        case .control("c"): return .quit
        case .control("z"): return .suspend
        case .control("l"): return .redraw
        case .unknown: return .nothing
        default: break
        }
        if draft != nil { return edit(key) }
        if let action = pressAnywhere(key, now: now) { return action }
        switch page {
        case .table: return pressInTable(key, now: now)
        case .node, .help: return pressInPage(key)
        }
    }

    private mutating func pressAnywhere(_ key: ConsoleKey, now: Instant) -> ConsoleAction? {
        switch key {
        case .character("q"):
            if page == .table { return .quit }
            close()
        case .character("Q"): return .quit
        case .character("?"), .character("h"):
            page = page == .help ? .table : .help
            scroll = 0
        case .character("p"), .character(" "): pause(now: now)
        default: return nil
        }
        return .draw
    }

    private mutating func close() {
        page = .table
        scroll = 0
    }

    // MARK: The table

    private mutating func pressInTable(_ key: ConsoleKey, now: Instant) -> ConsoleAction {
        switch key {
        case .up, .character("k"): move(-1, now)
        case .down, .character("j"): move(1, now)
        case .pageUp: move(-10, now)
        case .pageDown: move(10, now)
        case .home, .character("g"): move(-Int(Int32.max), now)
        case .end, .character("G"): move(Int(Int32.max), now)
        case .left, .character("<"), .character(","): sortBeside(-1)
        case .right, .character(">"), .character("."): sortBeside(1)
        case .character("r"): settings.isReversed.toggle()
        case .character("i"): settings.showsStream.toggle()
        case .character("/"): draft = settings.filter
        case .escape: settings.filter = ""
        case .enter:
            let rows = nodeRows(now: now)
            guard let index = selection(in: rows) else { return .nothing }
            page = .node(rows[index].node)
            scroll = 0
        default: return .nothing
        }
        return .draw
    }

    private mutating func move(_ count: Int, _ now: Instant) {
        let rows = nodeRows(now: now)
        guard let index = selection(in: rows) else { return }
        selected = rows[min(max(index + count, 0), rows.count - 1)].node
    }

    private mutating func sortBeside(_ step: Int) {
        let empty = emptyColumns
        let columns = NodeColumn.allCases.filter { !empty.contains($0) }
        let index = columns.firstIndex(of: settings.sort) ?? 0
        settings.sort = columns[(index + step + columns.count) % columns.count]
    }

    // MARK: A page of lines

    private mutating func pressInPage(_ key: ConsoleKey) -> ConsoleAction {
        switch key {
        case .up, .character("k"): scroll = max(0, scroll - 1)
        case .down, .character("j"): scroll += 1
        case .pageUp: scroll = max(0, scroll - 10)
        case .pageDown: scroll += 10
        case .home, .character("g"): scroll = 0
        case .escape, .enter, .backspace, .left: close()
        default: return .nothing
        }
        // The user could not scroll back from beyond the last line.
        scroll = min(scroll, pageLinesMax)
        return .draw
    }

    // MARK: The filter

    private mutating func edit(_ key: ConsoleKey) -> ConsoleAction {
        guard var text = draft else { return .nothing }
        switch key {
        case .character(let scalar) where text.count < ConsoleLimits.filterCharactersMax:
            text.unicodeScalars.append(scalar)
            draft = text
        case .backspace where !text.isEmpty:
            text.unicodeScalars.removeLast()
            draft = text
        case .backspace, .escape: draft = nil
        case .control("u"): draft = ""
        case .enter:
            settings.filter = text
            draft = nil
        default: return .nothing
        }
        return .draw
    }
}

/// The shell's next action after a key.
package enum ConsoleAction: Hashable, Sendable {
    case nothing
    /// Draw: the contents may have changed.
    case draw
    /// Draw the whole screen anew, because the terminal may show something else.
    case redraw
    /// Suspend the process (ctrl-z).
    case suspend
    case quit
}
