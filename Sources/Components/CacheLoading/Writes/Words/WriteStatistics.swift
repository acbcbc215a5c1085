/// Counters of a write queue since the node started.
package struct WriteStatistics: Equatable, Sendable {
    /// Taken by the origin while a client waited.
    package var direct: UInt64 = 0
    /// Accepted into the queue.
    package var queued: UInt64 = 0
    /// Taken by the origin from the queue.
    package var replayed: UInt64 = 0
    /// Refused by the origin, at once or later.
    package var rejected: UInt64 = 0
    /// Refused because the queue was full.
    package var full: UInt64 = 0
    /// Failed journal writes.
    package var journalFailures: UInt64 = 0
}
