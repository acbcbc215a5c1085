import CacheLoading
import Storage
import Logging
import Threading
import ZeroMQ

/// The thread that writes a queue's journal: whatever has come while it wrote is written together,
/// and synchronized once.
///
///     origin thread ──write──▶ ┌───────┐ ──append, replace──▶ QueueFile
///                   ◀journaled─│ queue │
///                              └───────┘
final class QueueThread: Sendable {
    enum Letter: Sendable {
        case write(WriteQueue.JournalOrder)
        case stop
    }

    let mailbox: Mailbox<Letter>
    private let thread: OwnedThread<Void>

    static func start(
        _ opened: OpenedQueue, tells origins: Mailbox<OriginLetter>, logger: Logger
    ) throws -> QueueThread {
        let mailbox = try Mailbox<Letter>()
        let thread = try OwnedThread(name: "queue") {
            var loop = QueueLoop(opened, mailbox: mailbox, origins: origins, logger: logger)
            loop.run()
        }
        return QueueThread(mailbox: mailbox, thread: thread)
    }

    private init(mailbox: Mailbox<Letter>, thread: OwnedThread<Void>) {
        self.mailbox = mailbox
        self.thread = thread
    }

    /// Has it write what it was told, and waits until it is gone.
    func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}
