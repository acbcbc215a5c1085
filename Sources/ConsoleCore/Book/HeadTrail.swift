package import CacheModel

/// When the log's head was first seen at which position: tells for how long a node has been behind.
package struct HeadTrail: Hashable, Sendable {
    private struct Head: Hashable {
        var position: LogPosition
        var at: Instant
    }

    private var heads: [Head] = []

    package init() {}

    package mutating func saw(_ position: LogPosition, now: Instant) {
        if let last = heads.last {
            guard position != last.position else { return }
            // Of another epoch what was seen says nothing. A lower one of the same is an answer
            // that was on its way while the stream told more: what was seen stays seen.
            guard position.epoch == last.position.epoch else {
                heads = [Head(position: position, at: now)]
                return
            }
            guard position > last.position else { return }
        }
        if heads.count == ConsoleLimits.headsMax { heads.removeFirst() }
        heads.append(Head(position: position, at: now))
    }

    /// Records between `position` and the newest head; `nil` if they are of two epochs, between
    /// which nothing is counted.
    package func lag(at position: LogPosition) -> UInt64? {
        guard let head = heads.last?.position, head.epoch == position.epoch else { return nil }
        let (lag, isAhead) = head.sequence.rawValue.subtractingReportingOverflow(
            position.sequence.rawValue)
        return isAhead ? 0 : lag
    }

    /// Since when something was there that a node at `position` has not applied; zero if nothing
    /// is, and no more than is remembered.
    package func delay(at position: LogPosition, now: Instant) -> Duration? {
        guard let newest = heads.last else { return nil }
        guard newest.position.epoch == position.epoch else { return nil }
        guard let first = heads.first(where: { $0.position > position }) else { return .zero }
        return now.elapsed(since: first.at)
    }
}
