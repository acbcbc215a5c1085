import CacheModel
import CommandSurface

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
