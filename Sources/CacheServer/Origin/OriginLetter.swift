import CacheLoading
import CacheModel
import CacheNodeCore

/// What the origin thread is told.
enum OriginLetter: Sendable {
    /// Which namespaces have an origin from now on.
    case policies([Namespace: OriginPolicy])
    /// Who is in the cluster, as an encoded TOPOLOGY REPORT.
    case topology(frame: [UInt8])
    case load(shard: ShardIndex, ShardLoad)
    /// A peer waits for a load: it must not wait for a peer.
    case leavePeer(shard: ShardIndex, number: UInt64)
    /// A reader waits now for a load that nobody waited for.
    case hasten(shard: ShardIndex, number: UInt64)
    case finished(AttemptNumber, AttemptOutcome)
    case stop
}
