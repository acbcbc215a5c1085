import CacheLoading
import CacheModel
import CacheNodeCore

/// What the origin thread is told.
enum OriginLetter: Sendable {
    /// Which namespaces have an origin from now on.
    case policies([Namespace: OriginPolicy])
    case load(shard: ShardIndex, ShardLoad)
    /// A reader waits now for a load that nobody waited for.
    case hasten(shard: ShardIndex, number: UInt64)
    case finished(AttemptNumber, AttemptOutcome)
    case stop
}
