import CommandSurface

/// Lines for people or scripts, in blocks: a table is as wide as what it has shown so far.
struct AuditScreen {
    /// Rows that are laid out together.
    private static let blockRows = 256

    typealias Write = @Sendable ([UInt8]) throws(CommandFailure) -> Void

    private let style: OutputStyle
    private let write: Write
    private var table = Table(AuditEntry.columns)
    private var isFirst = true

    init(style: OutputStyle, _ write: @escaping Write) {
        self.style = style
        self.write = write
    }

    mutating func show(_ entry: AuditEntry, _ line: [UInt8]) throws(CommandFailure) {
        if style == .json { return try write(line + [UInt8(ascii: "\n")]) }
        table.add(entry.cells)
        if table.rows.count >= Self.blockRows { try finish() }
    }

    /// Writes what is held back.
    mutating func finish() throws(CommandFailure) {
        guard !table.rows.isEmpty else { return }
        try write(Array(table.text(isColoured: style.isColoured, hasTitles: isFirst).utf8))
        isFirst = false
        table.removeRows()
    }
}
