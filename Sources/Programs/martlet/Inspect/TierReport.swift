import CacheDisk
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
