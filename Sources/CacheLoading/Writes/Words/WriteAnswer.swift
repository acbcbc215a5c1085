package import CacheModel

/// What becomes of a write, for who asked for it.
package enum WriteAnswer: Equatable, Sendable {
    /// The origin has it, and everybody has been told at this position.
    case taken(LogPosition)
    /// It is in the queue, durably: the origin will be told.
    case queued
    /// The origin said no. Nothing has changed.
    case refused(WriteRejection)
    /// The queue is full. Nothing has changed.
    case full
    /// The origin did not take it, or nobody could be told that it did, and there is no queue to
    /// put it into, or its disk does not take it.
    case unusable
}
