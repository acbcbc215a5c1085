package import CacheModel

/// An event of the invalidation stream.
package enum StreamEvent: Hashable, Sendable {
    case record(InvalidationRecord)
    case heartbeat(head: LogPosition)
    case lost(after: LogPosition, continuingAfter: LogPosition)
    /// The stream shows only what the key may read.
    case partial
    /// There is no stream, or it has ended.
    case failed(String)
}
