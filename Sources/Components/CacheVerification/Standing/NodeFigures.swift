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

/// The consistency of answers: one bad answer of ten thousand is four nines.
package enum Nines: Hashable, Sendable {
    /// There were no answers.
    case unknown
    /// None was bad. With 95 % confidence at least this many tenths of a nine; the sample is too
    /// small for more.
    case atLeast(tenths: Int)
    /// This many tenths of a nine, rounded down.
    case exactly(tenths: Int)

    /// - Parameter bad: 0 to `count`.
    package init(bad: Int, of count: Int) {
        precondition((0...max(0, count)).contains(bad), "no more are bad than there are")
        if count == 0 {
            self = .unknown
        } else if bad == 0 {
            // The rule of three: with none of n, at most 3/n are bad at 95 % confidence.
            self = .atLeast(tenths: Self.tenths(3 / Double(count)))
        } else {
            self = .exactly(tenths: Self.tenths(Double(bad) / Double(count)))
        }
    }

    /// The share as a negative logarithm, in tenths of a power of ten; never below 0.
    private static func tenths(_ share: Double) -> Int {
        // Ten to the power of minus one tenth; the margin is for the last bit of a thousandth.
        let step = 0.794_328_234_724_281_5
        var tenths = 0
        var bound = step
        while share <= bound * (1 + 1e-9), tenths < 160 {
            tenths += 1
            bound *= step
        }
        return tenths
    }
}

extension Nines: CustomStringConvertible {
    /// `3.2`, `>2.5` if none was bad, `–` without answers.
    package var description: String {
        switch self {
        case .unknown: "–"
        case .atLeast(let tenths): ">\(tenths / 10).\(tenths % 10)"
        case .exactly(let tenths): "\(tenths / 10).\(tenths % 10)"
        }
    }
}
