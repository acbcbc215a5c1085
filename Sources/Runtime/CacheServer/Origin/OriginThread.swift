import CacheLoading
import CacheModel
import CacheNodeCore
import CacheOrigin
import CacheWire
import Logging
import Threading
import ZeroMQ

/// The thread between a node's shards and its origins.
///
///                       ┌──────────────┐ ══GET, FROM PEER══════════════▶ a peer's shard
///     shard 0 ──load──▶ │ origin       │ ◀══════════════════════════════
///     shard 1 ──load──▶ │ thread: the  │ ──begin──▶ ┌────────────┐ ══HTTP══▶ origin
///             ◀─ended── │ schedulers   │            │ HTTPOrigin │
///     control ─policies▶│              │ ◀─finished─│ its own    │ ◀═════════
///             ─topology▶└──────────────┘            │ event loop │
///                                                   └────────────┘
///
/// It holds no rule of its own: a load goes to the ``CacheNodeCore/PeerLoads``, and from there, if
/// no peer makes it, to the ``CacheLoading/OriginScheduler``; what they say is done. What an origin
/// replied is read here, so that shards do not parse. The HTTP client and its thread exist once an
/// origin is to be asked.
final class OriginThread: Sendable {
    let mailbox: Mailbox<OriginLetter>
    private let thread: OwnedThread<Void>

    struct Setup: Sendable {
        var node: NodeID
        var context: Context
        var mailbox: Mailbox<OriginLetter>
        var shards: [Mailbox<ShardLetter>]
        var settings: HTTPOriginSettings
        var secrets: SecretSources
        /// Nodes should differ, so that they do not come back to an origin together.
        var seed: UInt64
        var writes: WriteKeeper.Setup
        var logger: Logger
    }

    init(_ setup: Setup) throws(ThreadStartError) {
        mailbox = setup.mailbox
        thread = try OwnedThread(name: "origin") {
            var loop = OriginLoop(setup)
            loop.run()
        }
    }

    /// Asks it to end, and waits until no attempt is under way and the client is gone.
    func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}

/// What the origin thread is told.
enum OriginLetter: Sendable {
    /// Which namespaces have an origin from now on.
    case policies([Namespace: OriginPolicy])
    /// The nodes of the cluster, as an encoded TOPOLOGY REPORT.
    case topology(frame: [UInt8])
    /// A shard knows other owners of slots.
    case slots(SlotsNews)
    /// Until when the publisher waits for this node before another one gets its keys; `nil`: it
    /// does not.
    case lease(until: Instant?)
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
    case pulse(Pulse)
    case report(@Sendable ([Namespace: GateStatistics], PeerStatistics) -> Void)
    case stop
}
