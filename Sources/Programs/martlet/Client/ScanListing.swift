import ByteCoding
import CacheModel
import CommandSurface
import MartletClient

/// The keys of a scan on their way to the output, in pages: a line at a time would be slow, and
/// all at once would fill the memory.
struct ScanListing {
    /// Lines of a page. The columns of later pages are at least as wide as those before.
    static let pageLines = 256

    /// What is listed of each key.
    enum Columns {
        case usual
        /// With how often it is asked for, about.
        case withHeat
        /// Nothing but its bytes.
        case keys
    }

    let style: OutputStyle
    let columns: Columns
    /// Keys so far.
    private(set) var count = 0
    private var table: Table
    private var page = CommandOutput()

    init(style: OutputStyle, columns: Columns = .usual) {
        self.style = style
        self.columns = columns
        let usual: [Table.Column] = [
            .left("key", widthMax: 64), .right("bytes"), .right("ttl"),
        ]
        table = Table(columns == .withHeat ? usual + [.right("heat")] : usual)
    }

    /// Takes a key.
    ///
    /// - Returns: a page, when one is full.
    mutating func add(_ entry: ScanEntry) -> CommandOutput? {
        count += 1
        if style == .json {
            page.writeLine(json(entry))
        } else if columns == .keys {
            write(entry.key)
        } else {
            let usual: [Table.Cell] = [
                .init(HarmlessText.line(entry.key.bytes)), .init("\(entry.valueBytes)"),
                .init(FigureText.timeLeft(entry.timeToLive)),
            ]
            table.add(columns == .withHeat ? usual + [.init("\(entry.heat)")] : usual)
        }
        return count % Self.pageLines == 0 ? rest() : nil
    }

    mutating func rest() -> CommandOutput {
        if !table.rows.isEmpty {
            let isFirst = count <= Self.pageLines
            page.write(table.text(isColoured: style.isColoured, hasTitles: isFirst))
            table.removeRows()
        }
        defer { page = CommandOutput() }
        return page
    }

    /// A key on a line of its own, unless it would become two.
    private mutating func write(_ key: CacheKey) {
        guard !key.bytes.contains(UInt8(ascii: "\n")), key.bytes.last != UInt8(ascii: "\r") else {
            return page.complain(
                "\(HarmlessText.line(key.bytes)) is left out: it does not fit a line")
        }
        page.bytes += key.bytes
        page.write("\n")
    }

    private func json(_ entry: ScanEntry) -> JSONDocument {
        .object(
            JSONDocument.members("key", entry.key.bytes) + [
                ("bytes", .integer(entry.valueBytes)),
                ("ttl_ms", .optional(entry.timeToLive, JSONDocument.milliseconds)),
                ("node", .node(entry.node)),
            ] + (columns == .withHeat ? [("heat", .integer(entry.heat))] : []))
    }
}
