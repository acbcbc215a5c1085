import CacheLoading
import CacheModel
import CacheNodeCore
import Logging
import Threading
import ZeroMQ

/// What the warm-up's thread is told.
enum WarmUpLetter: Sendable {
    /// The node is LIVE: these replicas may be asked, and values of these namespaces loaded.
    case begin([WarmUpPeer], [Namespace])
    /// The node leaves or ends: nothing more is asked for.
    case stop
}

/// A replica, and where its shards are.
struct WarmUpPeer: Sendable {
    var node: NodeID
    var endpoints: [String]
}

/// The thread that warms a node up after its start, where that is configured; it ends when it has
/// done so.
///
///     control ─begin, stop▶ ┌──────────────┐ ══SCAN, hottest══▶ a peer's shards
///                           │ WarmUp       │
///     shard 0 ◀──progress── │              │ ══GET, prefetch══▶ this node's own shards
///                           └──────────────┘
///
/// It holds no rule of its own: the ``CacheNodeCore/WarmUp`` says which peer to ask and when. It
/// speaks to this node's shards as any client does, so that there is one way in for a prefetch.
final class WarmUpThread: Sendable {
    let mailbox: Mailbox<WarmUpLetter>
    private let thread: OwnedThread<Void>

    /// What the thread is started with.
    struct Setup: Sendable {
        var node: NodeID
        /// Where this node's shards listen.
        var endpoints: [String]
        var settings: WarmUpSettings
        var context: Context
        var mailbox: Mailbox<WarmUpLetter>
        /// Is told how far it is.
        var shard: Mailbox<ShardLetter>
        var logger: Logger
    }

    static func start(_ setup: Setup) throws -> WarmUpThread {
        let thread = try OwnedThread(name: "warm-up") {
            var loop = WarmUpLoop(setup)
            loop.run()
        }
        return WarmUpThread(mailbox: setup.mailbox, thread: thread)
    }

    private init(mailbox: Mailbox<WarmUpLetter>, thread: OwnedThread<Void>) {
        self.mailbox = mailbox
        self.thread = thread
    }

    /// Has it ask for nothing more, and waits until its sockets are closed.
    func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}
