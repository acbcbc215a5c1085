package import CacheModel

/// The arrival of a request, and its waiting times since.
package struct WaitedTimes: Hashable, Sendable {
    package let arrivedAt: Instant
    /// For positions and the publisher's head.
    package private(set) var position = Duration.zero
    /// For appends of the publisher.
    package private(set) var publisher = Duration.zero
    package private(set) var disk = Duration.zero
    /// For an origin, or another node.
    package private(set) var origin = Duration.zero
    private var waitsSince: Instant

    init(arrivedAt: Instant) {
        self.arrivedAt = arrivedAt
        waitsSince = arrivedAt
    }

    /// It waits from now on.
    mutating func waits(from now: Instant) { waitsSince = now }

    /// It is handled again.
    mutating func waited(for condition: WaitTable.Condition, until now: Instant) {
        let wait = now.elapsed(since: waitsSince)
        switch condition {
        case .position, .head: position += wait
        case .publications: publisher += wait
        case .reads: disk += wait
        case .copies, .loads, .writes, .queue, .comparison: origin += wait
        }
    }
}
