import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Threading

/// What the origin thread is told.
enum OriginLetter: Sendable {
    /// Which namespaces have an origin from now on.
    case policies([Namespace: OriginPolicy])
    /// The nodes of the cluster, as an encoded TOPOLOGY REPORT.
    case topology(frame: [UInt8])
    case load(shard: ShardIndex, ShardLoad)
    /// A peer waits for a load: it must not wait for a peer.
    case leavePeer(shard: ShardIndex, number: UInt64)
    /// A reader waits now for a load without waiting readers so far.
    case hasten(shard: ShardIndex, number: UInt64)
    /// An origin is to be told of a write.
    case write(WriteOrder)
    /// The publisher has published a write's key; `nil`: whether it has is unknown.
    case published(ticket: UInt64, position: LogPosition?)
    case journaled(order: UInt64, succeeded: Bool)
    case queue(shard: ShardIndex, number: UInt64, QueueQuestion)
    case finished(AttemptNumber, AttemptOutcome)
    /// Say that it turns.
    case pulse(Pulse)
    /// Report the statistics of loads and peers.
    case report(@Sendable ([Namespace: GateStatistics], PeerStatistics) -> Void)
    case stop
}
