import CacheModel
import CacheNodeCore
import Logging
import Threading
import ZeroMQ

/// One shard: a thread, its event loop, and everything that thread owns.
///
///      clients ══ROUTER══▶ ┌──────────┐  ControlLetter   ┌─────────┐
///                          │ shard 0  │─────────────────▶│ control │══DEALER══▶ publisher
///                          │ core and │◀─────────────────│ thread  │◀══SUB═════ publisher
///                          │ entries  │   ShardLetter    └─────────┘
///                          └──────────┘   … and so on; shards share nothing
///
/// The thread holds no rule of its own: it collects requests and messages, tells the
/// ``CacheNodeCore/ShardCore``, and sends what comes back.
final class ShardThread: Sendable {
    let mailbox: Mailbox<ShardLetter>
    private let thread: OwnedThread<Void>

    /// Starts the thread and waits until its socket is bound: to its endpoint, and to the second if
    /// there is one.
    ///
    /// - Throws: what binding failed with, or ``Threading/ThreadStartError``; nothing is left
    ///   behind then.
    static func start(_ setup: ShardLoop.Setup) throws -> (ShardThread, [Endpoint]) {
        let bound = Promise<Result<[Endpoint], any Error>>()
        let thread = try OwnedThread(name: "shard-\(setup.options.shardIndex.rawValue)") {
            ShardLoop.run(setup, bound: bound)
        }
        do {
            return (ShardThread(mailbox: setup.mailbox, thread: thread), try bound.wait().get())
        } catch {
            thread.join()
            throw error
        }
    }

    private init(mailbox: Mailbox<ShardLetter>, thread: OwnedThread<Void>) {
        self.mailbox = mailbox
        self.thread = thread
    }

    /// Asks the loop to end and waits until it has.
    func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}
