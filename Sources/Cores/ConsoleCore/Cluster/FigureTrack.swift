package import CacheModel

/// The last two readings of the metrics of one process, one set for each of its parts, and how fast
/// counters rise between them.
///
/// A counter that is smaller than before began anew, and so did a part of another run of the
/// process. Then there is no rate, rather than a wrong one.
package struct FigureTrack: Hashable, Sendable {
    private struct Reading: Hashable {
        var parts: [[String: UInt64]]
        var at: Instant
    }

    private var last: Reading?
    private var before: Reading?
    /// Whether ``last`` is too old to show the present rate.
    private var isInterrupted = false

    package init() {}

    package var parts: [[String: UInt64]] { last?.parts ?? [] }
    package var readAt: Instant? { last?.at }

    package mutating func read(_ parts: [[String: UInt64]], now: Instant) {
        before = isInterrupted ? nil : last
        isInterrupted = false
        last = Reading(parts: parts, at: now)
        if let before, !Self.isOneRun(before.parts, parts) { self.before = nil }
    }

    /// The readings pause: the next reading counts as a first one.
    package mutating func interrupt() {
        before = nil
        isInterrupted = true
    }

    private static func isOneRun(_ old: [[String: UInt64]], _ new: [[String: UInt64]]) -> Bool {
        old.count == new.count
            && zip(old, new).allSatisfy { $0["incarnation"] == $1["incarnation"] }
    }

    /// The sum over the parts; `nil` if none has it.
    package func sum(_ name: String) -> UInt64? {
        let values = parts.compactMap { $0[name] }
        return values.isEmpty ? nil : values.reduce(0, &+)
    }

    /// Per second, over all parts; `nil` if unknown.
    package func rate(_ name: String) -> Double? {
        guard parts.contains(where: { $0[name] != nil }) else { return nil }
        return parts.indices.reduce(0) { total, part in
            guard let total, let rate = rate(name, part: part) else { return nil }
            return total + rate
        }
    }

    /// Per second, of one part.
    package func rate(_ name: String, part: Int) -> Double? {
        guard let last, let before, last.parts.indices.contains(part),
            before.parts.indices.contains(part)
        else { return nil }
        let new = last.parts[part][name] ?? 0
        let old = before.parts[part][name] ?? 0
        let seconds = Double(last.at.elapsed(since: before.at).wholeNanoseconds) / 1e9
        guard new >= old, seconds > 0 else { return nil }
        return Double(new - old) / seconds
    }
}

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
