import ByteCoding
import CacheModel
import CommandSurface
import LibC
import LoadTest

extension TraceReport {
    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        if style == .json {
            sizes.forEach { output.writeLine(json(at: $0)) }
        } else {
            output.writeLine(heading)
            output.write(table.text(isColoured: style.isColoured))
            complainOfSkipped(to: &output)
        }
        return output
    }

    var heading: String {
        let requests = Self.count(subject.requestCount, "request")
        let keys = Self.count(subject.keyCount, "key")
        let bytes = plan.unit == .bytes ? " of \(plan.unit.text(subject.footprint)) together" : ""
        let shards = plan.shards == 1 ? "" : ", \(plan.shards) shards"
        let first = Self.percent(Double(subject.keyCount) / Double(subject.requestCount))
        return
            "\(HarmlessText.line(path)): \(requests) for \(keys)\(bytes)\(shards)\n"
            + "\(first) are the first for their key: they miss at every size\n"
    }

    func complainOfSkipped(to output: inout CommandOutput) {
        guard let first = subject.firstSkipped else { return }
        let count = FigureText.count(subject.skippedCount, "malformed line")
        output.complain("\(count) skipped, first \(first.sentence(in: path))")
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        "\(FigureText.grouped(UInt64(count))) \(noun)\(count == 1 ? "" : "s")"
    }

    static func percent(_ share: Double) -> String {
        "\(FigureForm.decimal(share * 100, digits: 2)) %"
    }

    /// A share of the footprint: `0.1 %`, `20 %`.
    func share(of size: Int) -> String {
        let percent = Double(size) * 100 / Double(subject.footprint)
        // Of what is less than a tenth, two digits that count.
        let isSmall = percent > 0 && percent < 0.095
        var text = FigureForm.decimal(
            percent, digits: isSmall ? 1 - Int(log10(percent).rounded(.down)) : 1)
        while text.hasSuffix("0") { text.removeLast() }
        return "\(text.hasSuffix(".") ? String(text.dropLast()) : text) %"
    }

    private var table: Table {
        // Where every size is one, bytes would say the same again.
        let hasSizes = subject.byteCount != subject.requestCount
        var table = Table(
            [.right("capacity"), .right("of footprint"), .left("policy"), .right("misses")]
                + [.right("miss ratio")] + (hasSizes ? [.right("byte miss ratio")] : [])
                + [.right("against \(TracePlan.measure.rawValue)")])
        for outcome in sizes.flatMap(outcomes(at:)) {
            let bytes = Table.Cell(Self.percent(byteMissRatio(outcome)))
            table.add(
                [
                    .init(plan.unit.text(outcome.capacity)), .init(share(of: outcome.capacity)),
                    .init(outcome.policy.rawValue),
                    .init(FigureText.grouped(UInt64(outcome.counts.misses))),
                    .init(Self.percent(missRatio(outcome))),
                ] + (hasSizes ? [bytes] : []) + [comparison(outcome)])
        }
        return table
    }

    /// How many misses fewer or more than the measure has.
    func comparison(_ outcome: Outcome) -> Table.Cell {
        guard outcome.policy != TracePlan.measure, let reduction = reduction(outcome) else {
            return .init(FigureText.none)
        }
        let share = Self.percent(abs(reduction))
        if reduction == 0 { return "as many" }
        return reduction > 0 ? .init("\(share) fewer", .good) : .init("\(share) more", .bad)
    }

    private func json(at size: Int) -> JSONDocument {
        .object([
            ("trace", .text(path)), ("unit", .text(plan.unit.rawValue)),
            ("capacity", .integer(size)), ("requests", .integer(subject.requestCount)),
            ("keys", .integer(subject.keyCount)), ("footprint", .integer(subject.footprint)),
            ("shards", .integer(plan.shards)), ("skipped", .integer(subject.skippedCount)),
            ("policies", .list(outcomes(at: size).map(json))),
        ])
    }

    private func json(_ outcome: Outcome) -> JSONDocument {
        .object([
            ("policy", .text(outcome.policy.rawValue)), ("misses", .integer(outcome.counts.misses)),
            ("miss_ratio", .decimal(missRatio(outcome))),
            ("byte_miss_ratio", .decimal(byteMissRatio(outcome))),
            ("reduction_vs_lru", .optional(reduction(outcome), JSONDocument.decimal)),
        ])
    }
}

extension TraceReport {
    /// Of the hits that a cache without bounds would have, as many make a size enough.
    static let enough = 0.95
    private static let barWidth = 24

    /// Each policy's miss ratio over the sizes, with a bar, and which size is enough.
    func curveOutput(_ style: OutputStyle) -> CommandOutput {
        guard style != .json else { return output(style) }
        var output = CommandOutput()
        output.writeLine(heading)
        for (index, policy) in plan.policies.enumerated() {
            let curve = outcomes.filter { $0.policy == policy }
            var table = Table([
                .right("capacity"), .right("of footprint"), .right("miss ratio"),
                .right("against \(TracePlan.measure.rawValue)"), .left(policy.rawValue),
            ])
            for outcome in curve {
                table.add([
                    .init(plan.unit.text(outcome.capacity)), .init(share(of: outcome.capacity)),
                    .init(Self.percent(missRatio(outcome))), comparison(outcome),
                    .init(FigureText.bar(missRatio(outcome), width: Self.barWidth)),
                ])
            }
            if index > 0 { output.writeLine("") }
            output.write(table.text(isColoured: style.isColoured))
            output.writeLine(advice(policy, curve))
        }
        complainOfSkipped(to: &output)
        return output
    }

    /// Which of the sizes reaches nearly all of what any can.
    private func advice(_ policy: EvictionPolicyName, _ curve: [Outcome]) -> String {
        let best = subject.requestCount - subject.keyCount
        guard best > 0 else { return "No key is asked for twice: no cache can help." }
        let found = curve.first {
            Double(subject.requestCount - $0.counts.misses) >= Double(best) * Self.enough
        }
        let possible = Self.percent(Double(best) / Double(subject.requestCount))
        guard let found else {
            return "\(policy.rawValue): no size of these has 95 % of the possible \(possible) hits."
        }
        return "\(policy.rawValue): a capacity of \(plan.unit.text(found.capacity)) "
            + "(\(share(of: found.capacity))) has \(Self.percent(1 - missRatio(found))) hits, at "
            + "least 95 % of the possible \(possible)."
    }
}
