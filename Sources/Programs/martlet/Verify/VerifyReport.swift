import CacheModel
import CacheVerification
import CommandSurface

/// What a check has found so far.
struct VerifyReport {
    let check: StandingCheck
    let elapsed: Duration
    /// Where the log stood at the beginning; `nil` if the publisher was not heard.
    let firstPosition: LogPosition?
    /// How long the publisher has not been heard; `nil` if it never was.
    let silence: Duration?
    /// Questions to nodes, and those that were answered.
    let asked: Int
    let answered: Int

    /// One line of the table.
    struct Line {
        let delay: Duration
        /// `nil` for all nodes together.
        let node: NodeID?
        let figures: NodeFigures
    }

    func total(after delayIndex: Int) -> NodeFigures {
        check.figures[delayIndex].values.reduce(NodeFigures(), +)
    }

    /// Each delay with its nodes, then all of them together.
    var lines: [Line] {
        check.plan.delays.enumerated().flatMap { index, delay -> [Line] in
            let nodes = check.figures[index].sorted { $0.key < $1.key }.map {
                Line(delay: delay, node: $0.key, figures: $0.value)
            }
            return nodes + [Line(delay: delay, node: nil, figures: total(after: index))]
        }
    }

    /// How what nodes show stands to what origins have: each node, then all of them together; none
    /// if nothing is compared.
    var originLines: [(node: NodeID?, figures: OriginFigures)] {
        guard check.origins.plan.isOn else { return [] }
        let nodes = check.origins.figures.sorted { $0.key < $1.key }
        let total = nodes.map(\.value).reduce(OriginFigures(), +)
        return nodes.map { ($0.key, $0.value) } + [(nil, total)]
    }

    var status: ExitStatus {
        if check.tally.wrongCount > 0 { return .violation }
        return firstPosition == nil || (asked > 0 && answered == 0) ? .unreachable : .done
    }
}
