import CacheModel

/// Bounds of the hand-over of entries between owners of slots.
package enum HandOverLimits {
    /// How long a shard keeps the entries of slots that it lost, and asks for those of slots that
    /// it got.
    package static let lifetime = Duration.seconds(60)
    /// Most records with leftovers at a shard, or with arrivals that it waits for.
    static let changesMax = 8
    /// Maximum number of keys that were stored since slots arrived; more end the hand-over.
    static let storedMax = 65_536
    /// How long a reader waits for the owner before.
    package static let readerWaitMax = Duration.milliseconds(50)
    /// Maximum number of keys that are requested for readers at a time; others are misses.
    static let pullsMax = 4_096
    /// A request for readers without an answer counts as failed after this time.
    package static let pullTimeout = Duration.milliseconds(500)
    /// After that no reader waits for that owner for so long; each further time it is twice that.
    package static let silencePause = Duration.seconds(1)
    /// A request without any end is forgotten after this time.
    static let pullForgottenAfter = Duration.seconds(2)
    /// Minimum time between two reports that this shard gives entries.
    static let reportInterval = Duration.milliseconds(500)
}
