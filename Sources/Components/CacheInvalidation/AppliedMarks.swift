package import CacheModel
import DequeModule

/// When a run reported which positions as applied: its last reports.
///
/// Bounded by ``InvalidationLimits/appliedMarksMax``: the oldest are forgotten first.
package struct AppliedMarks: Hashable, Sendable {
    private struct Word: Hashable {
        let position: LogPosition
        let heardAt: Instant
    }

    private var words: Deque<Word> = []
    private var hasForgotten = false

    package init() {}

    /// The run has applied everything up to `position`. A position that it had reported before is
    /// ignored.
    package mutating func note(_ position: LogPosition, now: Instant) {
        if let last = words.last, position <= last.position { return }
        if words.count == InvalidationLimits.appliedMarksMax {
            words.removeFirst()
            hasForgotten = true
        }
        words.append(Word(position: position, heardAt: now))
    }

    /// When the run first reported `position` as applied; `nil` if it has not, or that is not
    /// remembered any more.
    ///
    /// - Complexity: O(log count).
    package func firstHeard(_ position: LogPosition) -> Instant? {
        var (low, high) = (0, words.count)
        while low < high {
            let middle = (low + high) / 2
            if words[middle].position < position { low = middle + 1 } else { high = middle }
        }
        guard low < words.count, low > 0 || !hasForgotten else { return nil }
        return words[low].heardAt
    }
}
