import CacheModel

/// Counters of the comparisons of one node's values with those of origins.
package struct OriginFigures: Hashable, Sendable {
    package internal(set) var same = 0
    /// Keys with the same two values at two looks.
    package internal(set) var differs = 0
    /// Differences with yet another value of the origin at the second look.
    package internal(set) var unsteady = 0
    /// The node's value was replaced or removed between the looks.
    package internal(set) var changed = 0
    /// The node had no fresh value.
    package internal(set) var notShown = 0
    /// Writes waited for the origin.
    package internal(set) var pending = 0
    /// The origin returned no value.
    package internal(set) var failed = 0
    package internal(set) var unsupported = 0
    package internal(set) var unanswered = 0

    package init() {}

    /// Completed comparisons.
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
