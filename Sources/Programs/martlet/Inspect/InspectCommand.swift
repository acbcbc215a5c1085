import ArgumentParser
import ByteCoding
import CacheDisk
import CacheHTTP
import CommandSurface
import Storage

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show a node's disk tier, and verify its records.",
        discussion: """
            Shows which node a tier belongs to, whether it was closed, what its segments hold, \
            whether every record is what was written, and what a node would recover from it. A \
            directory stands for all tiers in it: shard-0.tier, shard-1.tier, … . Nothing is \
            changed. A node may have them open: then the numbers may change. Takes about 9 bytes \
            of memory per entry.

            Ends with 5 if something is damaged, with 65 where there is no tier.

            Examples:
              martlet inspect /var/lib/martlet/n1
              martlet inspect --fast /var/lib/martlet/n1/shard-0.tier
              martlet inspect --records /var/lib/martlet/n1/shard-0.tier | grep user:17
            """)

    @Argument(help: "Tiers, or directories that hold them.")
    var paths: [String]

    @Flag(help: "List every record: what it holds, and whether it is live.")
    var records = false

    @Flag(help: "Read what a node reads at its start, and no sealed records.")
    var fast = false

    @Flag(help: "Write JSON: one object for each tier; before it, one for each record.")
    var json = false

    func validate() throws {
        try refuse(if: fast && records, "--records reads every record: it excludes --fast")
    }

    func run() throws {
        var status = ExitStatus.done
        var isFirst = true
        for path in paths {
            do {
                for tier in try TierDirectory.tiers(at: path) {
                    status = status.combined(with: try inspect(tier, isFirst: &isFirst))
                }
            } catch let error as TierReaderError {
                status = status.combined(with: Self.complain(error))
            }
        }
        if status != .done { throw ExitCode(status.rawValue) }
    }

    /// One tier. What is wrong with it does not keep others from being looked at.
    ///
    /// - Parameter isFirst: whether nothing was written yet.
    private func inspect(_ path: String, isFirst: inout Bool) throws -> ExitStatus {
        do {
            let reader = try TierReader(path)
            let wasInUse = reader.isInUse
            var plan = try reader.plan()
            plan.verifies = !fast
            plan.lists = records
            if !isFirst { try writeGap() }
            isFirst = false
            let facts = try look(through: reader, plan)
            let report = TierReport(
                path: path, facts: facts, isInUse: wasInUse || reader.isInUse)
            let output = report.output(.chosen(isJSON: json))
            try output.say()
            return output.status
        } catch let error as TierReaderError {
            return Self.complain(error)
        }
    }

    private func look(through reader: TierReader, _ plan: InspectionPlan) throws -> TierFacts {
        var listing = RecordListing(plan, path: reader.path, style: .chosen(isJSON: json))
        let progress = InspectionProgress()
        defer { progress.finish() }
        let facts = try reader.inspect(plan) { found, share in
            if !records { progress.show(share) }
            for record in found { try listing.add(record)?.say() }
        }
        try listing.rest().say()
        if listing.count > 0 { try writeGap() }
        return facts
    }

    private func writeGap() throws {
        if !json { try Console.write("\n") }
    }

    private static func complain(_ error: TierReaderError) -> ExitStatus {
        Console.complain(HarmlessText.line("\(error)"))
        return error.isDamage ? .violation : .unusableInput
    }
}

/// How much of a tier has been looked through, in steps that an eye can tell apart.
final class InspectionProgress {
    private static let steps = 200
    private let line = ProgressBar("reading", total: steps)
    private var shown = 0

    /// - Parameter share: from 0 to 1.
    func show(_ share: Double) {
        let step = Int(share * Double(Self.steps))
        guard step > shown else { return }
        shown = step
        line.show(step)
    }

    func finish() { line.finish() }
}

/// The records of a tier on their way to the output, in pages.
struct RecordListing {
    private static let pageLines = 256

    private let plan: InspectionPlan
    private let path: String
    private let style: OutputStyle
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
