package import CacheModel

/// What a session has seen of the log and what it has caused, so that it never goes back.
///
/// Law of order: both only grow. An answer at or past ``written`` shows every effect of the
/// session; an answer at or past ``seen`` is no older than any answer before it.
package struct SessionPosition: Hashable, Sendable {
    /// The highest position of any answer.
    package private(set) var seen = LogPosition.none
    /// The highest position that one of the session's own invalidations or stores was given.
    package private(set) var written = LogPosition.none

    package init() {}

    /// An answer reflected `position`.
    package mutating func saw(_ position: LogPosition) {
        if position > seen { seen = position }
    }

    /// Something this session did stands at `position` in the log.
    package mutating func wrote(_ position: LogPosition) {
        saw(position)
        if position > written { written = position }
    }

    /// What a read must reach: the caller's own demand and the session's, whichever is later.
    ///
    /// - Returns: `nil` if nothing is demanded.
    package func demand(
        _ asked: LogPosition?, readsYourWrites: Bool, readsMonotonically: Bool
    ) -> LogPosition? {
        var demand = asked ?? .none
        if readsYourWrites { demand = max(demand, written) }
        if readsMonotonically { demand = max(demand, seen) }
        return demand == .none ? nil : demand
    }
}
