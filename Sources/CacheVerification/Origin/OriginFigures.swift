import CacheModel

/// How what one node shows stands to what origins have.
package struct OriginFigures: Hashable, Sendable {
    package internal(set) var same = 0
    /// Keys of which the same two values were seen at two looks.
    package internal(set) var differs = 0
    /// Differences where the origin had yet another value at the second look.
    package internal(set) var unsteady = 0
    /// What the node showed was replaced, or left, while it was looked at.
    package internal(set) var changed = 0
    /// Nothing fresh was there.
    package internal(set) var notShown = 0
    /// Writes waited for the origin.
    package internal(set) var pending = 0
    /// The origin gave nothing.
    package internal(set) var failed = 0
    package internal(set) var unsupported = 0
    package internal(set) var unanswered = 0

    package init() {}

    /// What was held against each other to the end.
    package var compared: Int { same + differs + unsteady }

    mutating func count(_ verdict: OriginComparison.Verdict) {
        switch verdict {
        case .same: same += 1
        case .differs: differs += 1
        case .notShown: notShown += 1
        case .changed: changed += 1
        case .pending: pending += 1
        case .failed: failed += 1
        }
    }

    package static func + (left: OriginFigures, right: OriginFigures) -> OriginFigures {
        var sum = left
        sum.same += right.same
        sum.differs += right.differs
        sum.unsteady += right.unsteady
        sum.changed += right.changed
        sum.notShown += right.notShown
        sum.pending += right.pending
        sum.failed += right.failed
        sum.unsupported += right.unsupported
        sum.unanswered += right.unanswered
        return sum
    }
}
