import ByteCoding
import CacheDisk
import CacheModel
import CommandSurface

/// What `inspect` says of one tier.
struct TierReport {
    var path: String
    var facts: TierFacts
    /// Some process had it open, before or after it was looked through.
    var isInUse: Bool

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(style, json: json) { output in
            write(to: &output, isColoured: style.isColoured)
        }
        guard facts.damageCount > 0 else { return output }
        if isInUse {
            output.complain(
                "\(HarmlessText.line(path)) is in use: what looks damaged may have been written "
                    + "while it was read; inspect it again, or once the node has ended",
                .incomplete)
        } else {
            output.status = .violation
        }
        return output
    }

    var isClosed: Bool { facts.superblock.closed != nil }

    var verdict: String {
        switch facts.verdict {
        case .recovers(let count):
            let noun = count == 1 ? "entry" : "entries"
            return "a node recovers \(Self.grouped(count)) \(noun)" + misses + gap
        case .discards(let cause): return "a node discards it and starts empty: \(cause)"
        case nil: return "not known"
        }
    }

    private var misses: String {
        let count = facts.total.damagedLive
        return count == 0 ? "" : ", \(Self.grouped(count)) of them damaged: each is a miss"
    }

    /// What lay before damage that no footer tells of is gone.
    private var gap: String {
        guard case .recovered(_, let count) = facts.log, count > 0 else { return "" }
        return "; the log is damaged, and what lay before that is void"
    }

    /// Where the damage lies; a line at most.
    var damage: [String] {
        let tail = facts.tail
        var places = facts.checkpoints.enumerated().compactMap { number, checkpoint in
            checkpoint == .damaged ? "checkpoint \(number)" : nil
        }
        if tail.damagedCopies > 0 {
            places.append(
                "\(tail.damagedCopies) of \(TailFacts.copyCount) copies of the tail's state")
        }
        if tail.damagedSlots > 0 {
            places.append("\(tail.damagedSlots) of \(TailFacts.slotCount) slots of the tail")
        }
        return places + facts.segments.compactMap(damage)
    }

    private func damage(in segment: SegmentFacts) -> String? {
        var parts: [String] = []
        if isDamage(segment.header) { parts.append("header \(Self.word(segment.header))") }
        if let footer = segment.footer, isDamage(footer) {
            parts.append("footer \(Self.word(footer))")
        }
        if !segment.isEndKnown { parts.append("its end is unknown") }
        if segment.tally.damaged > 0 {
            let places = segment.footer == .whole ? "record" : "stretch"
            parts.append(
                FigureText.count(
                    segment.tally.damaged, "damaged \(places)",
                    places == "record" ? nil : "damaged stretches"))
        }
        return parts.isEmpty
            ? nil : "segment \(segment.number.rawValue): \(parts.joined(separator: ", "))"
    }

    private func isDamage(_ piece: SegmentFacts.Piece) -> Bool {
        piece == .damaged || (piece == .missing && isClosed)
    }

    static func word(_ piece: SegmentFacts.Piece) -> String {
        switch piece {
        case .whole: "whole"
        case .missing: "missing"
        case .damaged: "damaged"
        }
    }

    static func word(_ use: SegmentFacts.Use) -> String {
        switch use {
        case .active: "active"
        case .sealed: "sealed"
        case .unsealed: "unsealed"
        }
    }

    static func grouped(_ count: Int) -> String { FigureText.grouped(UInt64(count)) }
}

extension TierReport {
    var json: JSONDocument {
        .object(
            [("path", .text(path))] + identity + [
                ("checkpoints", .list(facts.checkpoints.map(Self.json))), ("tail", tailJSON),
                ("segments", .list(facts.segments.map(segmentJSON))),
                ("free", .integer(facts.freeCount)),
                ("withdrawn", .integer(facts.withdrawnCount)),
                ("verified", .bool(facts.plan.verifies)),
            ] + tally(facts.total) + [
                ("live_share", .optional(facts.total.liveShare, JSONDocument.decimal)),
                ("damage", .integer(facts.damageCount)),
                ("damage_at", .list(damage.map(JSONDocument.text))),
            ] + judgement)
    }

    private var identity: [JSONDocument.Member] {
        let block = facts.superblock
        let geometry = block.geometry
        return [
            ("format", .text("\(UnicodeScalar(block.foundFormat))")), ("node", .node(block.node)),
            ("shard", .integer(Int(block.shard))), ("shards", .integer(Int(block.shardCount))),
            ("incarnation", .unsigned(block.incarnation)), ("tier", .digits(block.tier)),
            ("boot", .digits(block.machine.boot.high, block.machine.boot.low)),
            ("in_use", .bool(isInUse)), ("closed", .bool(isClosed)),
            ("calendar_ms", .unsigned(block.machine.calendar)),
            ("file_bytes", .integer(facts.plan.fileBytes)),
            ("checkpoint_bytes", .integer(geometry.checkpointBytes)),
            ("tail_bytes", .integer(geometry.tailBytes)),
            ("segment_bytes", .integer(geometry.segmentBytes)),
            ("segment_count", .integer(geometry.segmentCount)),
        ]
    }

    private static func json(_ checkpoint: CheckpointFacts) -> JSONDocument {
        switch checkpoint {
        case .blank: .object([("state", .text("blank"))])
        case .damaged: .object([("state", .text("damaged"))])
        case .whole(let counter, let log, let mark, let floorsBytes):
            .object([
                ("state", .text("whole")), ("counter", .unsigned(counter)),
                ("log", .text("\(log)")), ("position", .position(mark.position)),
                ("floors_bytes", .integer(floorsBytes)),
            ])
        }
    }

    private var tailJSON: JSONDocument {
        let tail = facts.tail
        return .object([
            ("slots", .integer(TailFacts.slotCount)), ("used_slots", .integer(tail.usedSlots)),
            ("damaged_slots", .integer(tail.damagedSlots)),
            ("state_copies", .integer(tail.wholeCopies)),
            ("damaged_copies", .integer(tail.damagedCopies)),
            ("unsafe", .optional(tail.isUnsafe, JSONDocument.bool)),
            ("obeyed", .optional(tail.applied, JSONDocument.position)),
        ])
    }

    private func segmentJSON(_ segment: SegmentFacts) -> JSONDocument {
        .object(
            [
                ("segment", .unsigned(segment.number.rawValue)),
                ("state", .text(Self.word(segment.use))), ("void", .bool(segment.isVoid)),
                ("header", .text(Self.word(segment.header))),
                ("footer", .optional(segment.footer) { .text(Self.word($0)) }),
                ("end_known", .bool(segment.isEndKnown)),
            ] + tally(segment.tally) + [
                ("damage", .integer(segment.damageCount(isClosed: isClosed)))
            ])
    }

    private func tally(_ tally: SegmentTally) -> [JSONDocument.Member] {
        [
            ("bytes", .integer(tally.bytes)), ("records", .integer(tally.records)),
            ("tombstones", .integer(tally.tombstones)), ("resets", .integer(tally.resets)),
            ("parts", .integer(tally.parts)),
            ("live", .integer(tally.live)), ("live_bytes", .integer(tally.liveBytes)),
            ("expired", knowsExpiry ? .integer(tally.expired) : .null),
            ("damaged", .integer(tally.damaged)), ("damaged_live", .integer(tally.damagedLive)),
        ]
    }

    /// As a node judges that starts with it.
    private var judgement: [JSONDocument.Member] {
        switch facts.verdict {
        case .recovers(let count):
            [("verdict", .text("recovers")), ("entries", .integer(count)), ("reason", .null)]
        case .discards(let cause):
            [
                ("verdict", .text("discards")), ("entries", .integer(0)),
                ("reason", .text("\(cause)")),
            ]
        case nil: [("verdict", .null), ("entries", .null), ("reason", .null)]
        }
    }
}
