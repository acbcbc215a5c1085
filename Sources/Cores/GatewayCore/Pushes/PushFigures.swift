package import CacheModel

/// The counters and gauges of a hub.
package struct PushFigures: Hashable, Sendable {
    /// Subscriptions accepted.
    package var accepted: UInt64 = 0
    /// Refused because there were too many.
    package var refused: UInt64 = 0
    /// Messages handed out, each reader's counted.
    package var sent: UInt64 = 0
    /// Of the messages handed out, records that a reader had missed.
    package var replayed: UInt64 = 0
    /// Records that came.
    package var records: UInt64 = 0
    /// Readers that were cut because they were slow or took nothing.
    package var cut: UInt64 = 0
    /// Readers that were sent `gone`.
    package var gone: UInt64 = 0
    /// Readers that came back with a position.
    package var resumed: UInt64 = 0

    package var subscribers = 0
    package var ringRecords = 0
    package var ringBytes = 0
    /// Of messages that were handed out and that readers have not taken.
    package var waitingBytes = 0
    /// Up to where the log is known here; `nil` before the publisher was heard.
    package var position: LogPosition?
    package var head: LogPosition?

    package init() {}
}
