import CacheDisk
import ByteCoding
import CacheModel

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
            ("obeyed", .optional(tail.obeyed, JSONDocument.position)),
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
