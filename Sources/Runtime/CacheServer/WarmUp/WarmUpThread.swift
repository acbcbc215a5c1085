import CacheLoading
import CacheModel
import CacheNodeCore
import Logging
import Threading
import ZeroMQ

/// What the warm-up's thread is told.
enum WarmUpLetter: Sendable {
    /// The node is LIVE, in a replicated cluster.
    case live
    /// These replicas may be asked.
    case begin([WarmUpPeer])
    /// What one of this node's shards says to a claim, and to a batch, by its number.
    case claimed(UInt64, WarmUp.Claimed?)
    case stored(UInt64, WarmUp.Stored)
    /// The node has no replicas. These nodes may have been owners before of slots that arrive.
    case sharing([WarmUpPeer])
    /// Slots arrived at one of this node's shards.
    case arriving([WarmUp.Arrival])
    /// Readers of one of this node's shards wait for keys.
    case pull(SlotPull, of: Int)
    /// The node leaves or ends: nothing more is asked for.
    case stop
}

/// A replica, and where its shards are.
struct WarmUpPeer: Sendable {
    var node: NodeID
    var endpoints: [String]
}

/// The thread that copies entries from other nodes: in a replicated cluster after a start, and it
/// ends when it has done so; in one with slots whenever some arrive.
///
///     control ─live, begin, stop▶ ┌──────────┐ ══STATUS, SCAN, GET══▶ a peer's shards
///                                 │ WarmUp   │
///     shard 0 ◀────progress────── │          │ ──claim, fill────────▶ this node's own shards
///                                 └──────────┘ ◀─claimed, stored────
///
/// It holds no rule of its own: the ``CacheNodeCore/WarmUp`` says which peer to ask and when, and
/// the shards decide what may be stored.
final class WarmUpThread: Sendable {
    let mailbox: Mailbox<WarmUpLetter>
    private let thread: OwnedThread<Void>

    struct Setup: Sendable {
        var node: NodeID
        var settings: WarmUpSettings
        var context: Context
        var mailbox: Mailbox<WarmUpLetter>
        /// This node's own; the first is told how far it is.
        var shards: [Mailbox<ShardLetter>]
        var logger: Logger
    }

    init(_ setup: Setup) throws(ThreadStartError) {
        mailbox = setup.mailbox
        thread = try OwnedThread(name: "warm-up") {
            var loop = WarmUpLoop(setup)
            loop.run()
        }
    }

    /// Has it ask for nothing more, and waits until its sockets are closed.
    func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}
