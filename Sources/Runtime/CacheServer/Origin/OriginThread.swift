import CacheLoading
import CacheModel
import CacheNodeCore
import CacheOrigin
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

    /// What the thread is started with.
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

    static func start(_ setup: Setup) throws -> OriginThread {
        let thread = try OwnedThread(name: "origin") {
            var loop = OriginLoop(setup)
            loop.run()
        }
        return OriginThread(mailbox: setup.mailbox, thread: thread)
    }

    private init(mailbox: Mailbox<OriginLetter>, thread: OwnedThread<Void>) {
        self.mailbox = mailbox
        self.thread = thread
    }

    /// Asks it to end, and waits until no attempt is under way and the client is gone.
    func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}
