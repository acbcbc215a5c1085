import ByteCoding
import CacheDisk
import CacheHTTP
import CommandSurface

/// The records of a tier on their way to the output, in pages.
struct RecordListing {
    private static let pageLines = 256

    private let plan: InspectionPlan
    private let path: String
    private let style: OutputStyle
    /// Records so far.
    private(set) var count = 0
    private var page = CommandOutput()
    private var table = Table([
        .right("segment"), .right("offset"), .right("bytes"), .left("state"),
        .left("namespace", widthMax: 24), .left("key", widthMax: 48), .right("version"),
        .right("fill"), .right("expires"),
    ])

    init(_ plan: InspectionPlan, path: String, style: OutputStyle) {
        self.plan = plan
        self.path = path
        self.style = style
    }

    /// - Returns: a page, when one is full.
    mutating func add(_ record: InspectedRecord) -> CommandOutput? {
        count += 1
        if style == .json {
            page.writeLine(json(record))
        } else {
            table.add(row(record))
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

    // MARK: For people

    private func row(_ record: InspectedRecord) -> [Table.Cell] {
        let head: [Table.Cell] = [
            .init("\(record.segment.rawValue)"), .init("\(record.offset)"),
            .init("\(record.bytes)"), .init(record.state.rawValue, Self.tone(record.state)),
        ]
        let nothing = Table.Cell(FigureText.none)
        guard let content = record.content else {
            return head + Array(repeating: nothing, count: 5)
        }
        let namespace = content.namespace.isEmpty ? Array("default".utf8) : content.namespace
        return head + [
            .init(HarmlessText.line(namespace)), .init(HarmlessText.line(content.key)),
            content.version == 0 ? nothing : .init("\(content.version)"),
            .init("\(content.fill)"), .init(expiry(content)),
        ]
    }

    private static func tone(_ state: InspectedRecord.State) -> Table.Tone {
        switch state {
        case .live: .good
        case .damaged: .bad
        default: .plain
        }
    }

    private func expiry(_ content: InspectedRecord.Content) -> String {
        guard let expires = content.expires else { return "none" }
        guard let now = plan.now else { return FigureText.none }
        guard now < expires else { return "over" }
        return FigureText.timeLeft(.milliseconds(expires.milliseconds - now.milliseconds))
    }

    // MARK: For scripts

    private func json(_ record: InspectedRecord) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            ("path", .text(path)), ("segment", .unsigned(record.segment.rawValue)),
            ("offset", .integer(record.offset)), ("bytes", .integer(record.bytes)),
            ("state", .text(record.state.rawValue)),
            ("fingerprint", .optional(record.fingerprint) { .unsigned($0.rawValue) }),
        ]
        guard let content = record.content else { return .object(members) }
        let namespace = content.namespace.isEmpty ? Array("default".utf8) : content.namespace
        members += JSONDocument.members("namespace", namespace)
        members += JSONDocument.members("key", content.key)
        members += [
            ("value_bytes", .integer(content.valueBytes)),
            ("version", content.version == 0 ? .null : .unsigned(content.version)),
        ]
        members += JSONDocument.tags(content.tags)
        members +=
            content.validator.isEmpty
            ? [("etag", .null)] : JSONDocument.members("etag", content.validator)
        members += JSONDocument.members(of: content.representation)
        members += [
            ("fill", .unsigned(content.fill)),
            ("age_ms", .optional(plan.now) { Self.apart(content.stored, $0) }),
            ("ttl_ms", ttl(content)), ("soft", .bool(content.softSince != nil)),
            ("fenced", .bool(!content.isUnfenced)),
        ]
        return .object(members)
    }

    /// `null` for none, and where the tier's current time is unknown.
    private func ttl(_ content: InspectedRecord.Content) -> JSONDocument {
        guard let expires = content.expires, let now = plan.now else { return .null }
        return Self.apart(now, expires)
    }

    /// 0 if the second does not come after the first.
    private static func apart(_ from: TierTime, _ to: TierTime) -> JSONDocument {
        .unsigned(to > from ? to.milliseconds - from.milliseconds : 0)
    }
}
