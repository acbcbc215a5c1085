package import CacheModel

extension WriteQueue {
    /// What the shell is to do, in this order.
    package enum Action: Equatable, Sendable {
        /// Tell the origin, and say what came of it with `attemptEnded`.
        case attempt(WriteNumber, OriginWrite, Attempt)
        /// Have every node told that the key has changed, and say `published`.
        case publish(WriteNumber, WriteLine)
        /// Write down, make it last, and say `journaled`. In order.
        case journal(JournalOrder)
        /// The end of a write, for the shard that asked.
        case answer(WriteTicket, WriteAnswer)
        /// Shards do not answer this key by what they hold, nor by loads that began before.
        case hold(WriteLine)
        /// They may again, once they have obeyed this position.
        case release(WriteLine, at: LogPosition)
    }

    /// In what manner an origin is told.
    package enum Attempt: Equatable, Sendable {
        /// Somebody waits for it, for so long at most.
        case direct(patience: Duration)
        case replay
    }

    /// Records that belong together.
    package struct JournalOrder: Equatable, Sendable {
        package var number: UInt64
        /// Whether they replace the whole journal.
        package var isWhole: Bool
        package var records: [JournalRecord]
    }
}
