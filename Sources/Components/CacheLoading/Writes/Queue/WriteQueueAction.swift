package import CacheModel

/// What a ``WriteQueue`` wants done, in this order.
package enum WriteQueueAction: Equatable, Sendable {
    /// Send the write to the origin, and report the outcome with `attemptEnded`.
    case attempt(WriteNumber, OriginWrite, Attempt)
    /// Send the write to the node that owns its key, and report the outcome with `forwardEnded`.
    case forward(WriteForward)
    /// Publish an invalidation of the key, and call `published`.
    case publish(WriteNumber, WriteLine)
    /// Write, fsync, and call `journaled`. In order.
    case journal(JournalOrder)
    /// The end of a write, for the shard that asked for it.
    case answer(WriteTicket, WriteAnswer)
    /// Shards must not answer this key from their entries, nor from loads that began before.
    case hold(WriteLine)
    /// They may again, once they have applied this position.
    case release(WriteLine, at: LogPosition)

    package enum Attempt: Equatable, Sendable {
        /// A client waits for it, at most this long.
        case direct(patience: Duration)
        case replay
    }

    /// Records that are written together.
    package struct JournalOrder: Equatable, Sendable {
        package var number: UInt64
        /// Whether they replace the whole journal.
        package var isWhole: Bool
        package var records: [JournalRecord]
    }
}
