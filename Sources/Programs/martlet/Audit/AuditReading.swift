import CommandSurface

/// Reads audit logs side by side, in the order of time, and shows what is wanted.
struct AuditReading {
    private struct Next {
        let entry: AuditEntry
        let line: [UInt8]
    }

    private var sources: [AuditSource]
    private var waiting: [Next?]
    private let filter: AuditFilter
    private var screen: AuditScreen

    /// - Parameter write: where what is shown goes to.
    init(
        _ paths: [String], _ filter: AuditFilter, style: OutputStyle,
        write: @escaping AuditScreen.Write = { (bytes) throws(CommandFailure) in
            try Console.write(bytes)
        }
    ) throws(CommandFailure) {
        sources = []
        for path in paths { sources.append(try AuditSource(path)) }
        waiting = sources.map { _ in nil }
        self.filter = filter
        screen = AuditScreen(style: style, write)
    }

    mutating func showAll() throws(CommandFailure) {
        while true {
            for index in sources.indices where waiting[index] == nil {
                waiting[index] = try next(of: index)
            }
            let ready = waiting.indices.compactMap { index in
                waiting[index].map { (index: index, time: $0.entry.time) }
            }
            guard let first = ready.min(by: { $0.time < $1.time }), let next = waiting[first.index]
            else { break }
            waiting[first.index] = nil
            try screen.show(next.entry, next.line)
        }
        try screen.finish()
    }

    private mutating func next(of index: Int) throws(CommandFailure) -> Next? {
        while let line = try sources[index].next() {
            guard filter.isLateEnough(line) else { continue }
            guard let entry = AuditEntry(line) else {
                sources[index].countDamage()
                continue
            }
            if filter.wants(entry) { return Next(entry: entry, line: line) }
        }
        return nil
    }

    mutating func showMore() throws(CommandFailure) {
        try showAll()
        for index in sources.indices { try sources[index].follow() }
        try showAll()
    }

    /// Nothing more comes: what is half there stays so.
    mutating func finish() -> CommandOutput {
        var output = CommandOutput()
        for index in sources.indices {
            sources[index].dropHalf()
            let source = sources[index]
            guard source.damagedCount > 0 else { continue }
            let count = FigureText.count(source.damagedCount, "line")
            output.complain("\(source.path): \(count) damaged or half written, passed over")
        }
        return output
    }
}

/// Which lines are wanted.
struct AuditFilter {
    static let denials: Set<String> = ["denied", "left-out", "stranger"]

    /// As lines have it; what is noted before is passed over.
    var since: String?
    var who: String?
    /// Empty: every event.
    var events: Set<String> = []

    private static let head = Array(#"{"time":""#.utf8)

    /// Whether a line may be one that is wanted, without reading it: times compare as texts.
    func isLateEnough(_ line: [UInt8]) -> Bool {
        guard let since, line.starts(with: Self.head) else { return true }
        let time = line.dropFirst(Self.head.count).prefix(since.utf8.count)
        return !time.lexicographicallyPrecedes(since.utf8)
    }

    /// A name is what the key proves, or what was claimed.
    func wants(_ entry: AuditEntry) -> Bool {
        if let since, entry.time < since { return false }
        if let who, entry.who != who, entry.claim != who { return false }
        return events.isEmpty || events.contains(entry.event)
    }
}

/// Lines for people or scripts, in blocks: a table is as wide as what it has shown so far.
struct AuditScreen {
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

    mutating func finish() throws(CommandFailure) {
        guard !table.rows.isEmpty else { return }
        try write(Array(table.text(isColoured: style.isColoured, hasTitles: isFirst).utf8))
        isFirst = false
        table.removeRows()
    }
}
