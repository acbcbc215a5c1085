import CacheModel
import MartletClient

/// The keys of a scan on their way to the output, in pages: a line at a time would be slow, and
/// all at once would fill the memory.
struct ScanListing {
    /// Lines of a page. The columns of later pages are at least as wide as those before.
    static let pageLines = 256

    let style: OutputStyle
    /// Keys so far.
    private(set) var count = 0
    private var table = Table([.left("key", widthMax: 64), .right("bytes"), .right("ttl")])
    private var page = CommandOutput()

    init(style: OutputStyle) {
        self.style = style
    }

    /// Takes a key.
    ///
    /// - Returns: a page, when one is full.
    mutating func add(_ entry: ScanEntry) -> CommandOutput? {
        count += 1
        if style == .json {
            page.writeLine(Self.json(entry))
        } else {
            table.add([
                .init(HarmlessText.line(entry.key.bytes)), .init("\(entry.valueBytes)"),
                .init(FigureText.timeLeft(entry.timeToLive)),
            ])
        }
        return count % Self.pageLines == 0 ? rest() : nil
    }

    /// What has not been handed out yet.
    mutating func rest() -> CommandOutput {
        if !table.rows.isEmpty {
            let isFirst = count <= Self.pageLines
            page.write(table.text(isColoured: style.isColoured, hasTitles: isFirst))
            table.removeRows()
        }
        defer { page = CommandOutput() }
        return page
    }

    private static func json(_ entry: ScanEntry) -> JSONValue {
        .object(
            JSONValue.members("key", entry.key.bytes) + [
                ("bytes", .integer(entry.valueBytes)),
                ("ttl_ms", .optional(entry.timeToLive, JSONValue.milliseconds)),
                ("node", .node(entry.node)),
            ])
    }
}
