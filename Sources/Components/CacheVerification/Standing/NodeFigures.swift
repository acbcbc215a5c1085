/// Counters of one node's answers after one delay.
package struct NodeFigures: Hashable, Sendable {
    package internal(set) var right = 0
    /// Right answers with a value: one that was filled since.
    package internal(set) var shown = 0
    package internal(set) var behind = 0
    package internal(set) var wrong = 0
    package internal(set) var unknown = 0
    package internal(set) var unanswered = 0

    package init(
        right: Int = 0, shown: Int = 0, behind: Int = 0, wrong: Int = 0, unknown: Int = 0
    ) {
        self.right = right
        self.shown = shown
        self.behind = behind
        self.wrong = wrong
        self.unknown = unknown
    }

    package init(unanswered: Int) {
        self.unanswered = unanswered
    }

    /// The answers that count for the nines.
    package var judged: Int { right + behind + wrong }
    package var nines: Nines { Nines(bad: behind + wrong, of: judged) }

    mutating func count(_ finding: AnswerFinding) {
        switch finding {
        case .right(let isShown):
            right += 1
            if isShown { shown += 1 }
        case .behind: behind += 1
        case .wrong: wrong += 1
        case .unknown: unknown += 1
        case .beside: break
        case .unanswered: unanswered += 1
        }
    }

    package static func + (left: NodeFigures, right: NodeFigures) -> NodeFigures {
        var sum = left
        sum.right += right.right
        sum.shown += right.shown
        sum.behind += right.behind
        sum.wrong += right.wrong
        sum.unknown += right.unknown
        sum.unanswered += right.unanswered
        return sum
    }
}
