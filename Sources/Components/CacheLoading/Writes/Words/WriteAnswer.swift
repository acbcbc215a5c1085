package import CacheModel

/// The outcome of a write, for the shard that asked.
package enum WriteAnswer: Equatable, Sendable {
    /// The origin has it, and the invalidation is published at this position.
    case taken(LogPosition)
    /// It is durable in the queue: it will be sent to the origin.
    case queued
    /// The origin refused it. Nothing has changed.
    case refused(WriteRejection)
    /// The queue is full. Nothing has changed.
    case full
    /// The origin did not take it, or the invalidation could not be published, and the write could
    /// not be queued: there is no journal, or its disk does not accept it.
    case unusable
}
