package import CacheModel

/// When each position was first seen as the head of the log: shows how long a node has been behind.
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
            // Positions of another epoch say nothing here. A lower position of the same epoch is a
            // late answer: the stream had reported more meanwhile, so the higher one stays.
            guard position.epoch == last.position.epoch else {
                heads = [Head(position: position, at: now)]
                return
            }
            guard position > last.position else { return }
        }
        if heads.count == ConsoleLimits.headsMax { heads.removeFirst() }
        heads.append(Head(position: position, at: now))
    }

    /// Records between `position` and the newest head; `nil` if they are of two epochs: records are
    /// counted within one epoch only.
    package func lag(at position: LogPosition) -> UInt64? {
        guard let head = heads.last?.position, head.epoch == position.epoch else { return nil }
        let (lag, isAhead) = head.sequence.rawValue.subtractingReportingOverflow(
            position.sequence.rawValue)
        return isAhead ? 0 : lag
    }

    /// How long there has been a record that a node at `position` has not applied. Zero if there is
    /// none; bounded by the remembered heads.
    package func delay(at position: LogPosition, now: Instant) -> Duration? {
        guard let newest = heads.last else { return nil }
        guard newest.position.epoch == position.epoch else { return nil }
        guard let first = heads.first(where: { $0.position > position }) else { return .zero }
        return now.elapsed(since: first.at)
    }
}
