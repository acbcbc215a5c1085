import CacheDisk
import CacheModel
import CommandSurface
import EssentialFoundation

extension TierReport {
    private static let damageLinesMax = 10

    func write(to output: inout CommandOutput, isColoured: Bool) {
        output.writeLine(HarmlessText.line(path))
        var lines = Self.lines
        for (name, text) in head { lines.add([.init(name), .init(text)]) }
        output.write(lines.text(isColoured: isColoured, hasTitles: false))
        if !facts.segments.isEmpty {
            output.write("\n" + table.text(isColoured: isColoured) + "\n")
        }
        var ending = Self.lines
        for (name, text, tone) in end { ending.add([.init(name), .init(text, tone)]) }
        output.write(ending.text(isColoured: isColoured, hasTitles: false))
    }

    /// Names and what there is to say: the title, which is not shown, makes them align.
    private static var lines: Table { Table([.left("checkpoints"), .left("")]) }

    // MARK: Before the segments

    private var head: [(String, String)] {
        [
            ("owner", owner), ("file", file), ("state", state), ("checkpoints", checkpoints),
            ("tail", tail),
        ]
    }

    private var owner: String {
        let block = facts.superblock
        return "node \(HarmlessText.line(block.node.name)), shard \(block.shard) of "
            + "\(block.shardCount), incarnation \(block.incarnation)"
    }

    private var file: String {
        let geometry = facts.superblock.geometry
        func size(_ bytes: Int) -> String { FigureText.size(UInt64(bytes)) }
        let format = UnicodeScalar(facts.superblock.foundFormat)
        return "\(size(facts.plan.fileBytes)), format \(format): "
            + "\(geometry.segmentCount) segments of \(size(geometry.segmentBytes)), tail of "
            + "\(size(geometry.tailBytes)), 2 checkpoints of \(size(geometry.checkpointBytes))"
    }

    private var state: String {
        let when = Self.date(facts.superblock.machine.calendar)
        if isInUse { return "open, in use since \(when): figures may move" }
        return isClosed
            ? "closed in order on \(when)" : "open since \(when), and not closed in order"
    }

    private static func date(_ milliseconds: UInt64) -> String {
        // Beyond the year 9999 nothing is known of how it would be written.
        let seconds = min(Double(milliseconds) / 1_000, 253_402_300_799)
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }

    /// The one that counts first.
    private var checkpoints: String {
        let newest = facts.checkpoints.sorted { ($0.counter ?? 0) > ($1.counter ?? 0) }
        return newest.map { checkpoint in
            switch checkpoint {
            case .blank: "no earlier one"
            case .damaged: "one is damaged"
            case .whole(let counter, let log, let mark, _):
                "\(mark.position) of log \(log) (number \(counter))"
            }
        }.joined(separator: ", ")
    }

    private var tail: String {
        let tail = facts.tail
        var parts = [
            "records in \(tail.usedSlots) of \(TailFacts.slotCount) slots",
            tail.applied.map { "applied through \($0)" } ?? "applied nothing of a log",
        ]
        if tail.isUnsafe == true { parts.insert("unsafe", at: 0) }
        if tail.damagedCopies > 0 {
            parts.append("\(tail.damagedCopies) of \(TailFacts.copyCount) state copies damaged")
        }
        return parts.joined(separator: ", ")
    }

    // MARK: The segments

    private var table: Table {
        var table = Table([
            .right("segment"), .left("state"), .right("bytes"), .right("records"),
            .right("tombstones"), .right("parts"), .right("live"), .right("live bytes"),
            .right("share"),
            .right("expired"), .right("damage"),
        ])
        for segment in facts.segments {
            let state =
                segment.isVoid
                ? Table.Cell("void", .warning)
                : Table.Cell(Self.word(segment.use))
            let damage = segment.damageCount(isClosed: isClosed)
            table.add(
                [.init("\(segment.number.rawValue)"), state]
                    + row(segment.tally, damage: damage))
        }
        let damage = facts.segments.reduce(0) { $0 + $1.damageCount(isClosed: isClosed) }
        table.add(["all", ""] + row(facts.total, damage: damage))
        return table
    }

    private func row(_ tally: SegmentTally, damage: Int) -> [Table.Cell] {
        [
            .init(FigureText.size(UInt64(tally.bytes))), .init(Self.grouped(tally.records)),
            .init(Self.grouped(tally.tombstones)), .init(Self.grouped(tally.parts)),
            .init(Self.grouped(tally.live)),
            .init(FigureText.size(UInt64(tally.liveBytes))),
            .init(FigureText.ratio(tally.liveShare)),
            .init(knowsExpiry ? Self.grouped(tally.expired) : FigureText.none),
            .init(Self.grouped(damage), damage > 0 ? .bad : .plain),
        ]
    }

    /// Footers do not tell it, and after a boot of unknown length it cannot be known.
    var knowsExpiry: Bool { facts.plan.verifies && facts.plan.now != nil }

    // MARK: Behind them

    private var end: [(String, String, Table.Tone)] {
        var lines: [(String, String, Table.Tone)] = [
            ("free", "\(FigureText.count(facts.freeCount, "segment"))", .plain)
        ]
        if facts.withdrawnCount > 0 {
            let count = FigureText.count(facts.withdrawnCount, "segment")
            lines.append(("withdrawn", "\(count): the file system was short of space", .plain))
        }
        lines.append(("checked", checked, .plain))
        let damage = damage
        for (number, place) in damage.prefix(Self.damageLinesMax).enumerated() {
            lines.append((number == 0 ? "damage" : "", place, .bad))
        }
        if damage.count > Self.damageLinesMax {
            lines.append(("", "and \(damage.count - Self.damageLinesMax) more", .bad))
        }
        let isGood = if case .recovers? = facts.verdict { true } else { false }
        lines.append(("verdict", verdict, isGood && damage.isEmpty ? .good : .warning))
        return lines
    }

    private var checked: String {
        facts.plan.verifies
            ? "every record" : "footers, and the records of segments without one"
    }
}
