package import CacheModel

/// What the stream of invalidations said.
package enum StreamEvent: Hashable, Sendable {
    case record(InvalidationRecord)
    case heartbeat(head: LogPosition)
    case lost(after: LogPosition, continuingAfter: LogPosition)
    /// Only what the key may read is shown.
    case partial
    /// There is none, or none any more.
    case failed(String)
}
