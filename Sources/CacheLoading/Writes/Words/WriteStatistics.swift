/// What a write queue has done since the node began.
package struct WriteStatistics: Equatable, Sendable {
    /// Taken by the origin while somebody waited.
    package var direct: UInt64 = 0
    /// Accepted into the queue.
    package var queued: UInt64 = 0
    /// Taken by the origin out of the queue.
    package var replayed: UInt64 = 0
    /// Refused by the origin, at once or later.
    package var rejected: UInt64 = 0
    /// Sent away because the queue was full.
    package var full: UInt64 = 0
    /// Times that the journal did not take something.
    package var journalFailures: UInt64 = 0
}
