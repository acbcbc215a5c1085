import ByteCoding
import CacheLoading
import Logging
import Storage
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
        case write(WriteQueueAction.JournalOrder)
        case stop
    }

    let mailbox: Mailbox<Letter>
    private let thread: OwnedThread<Void>

    init(_ opened: OpenedQueue, tells origins: Mailbox<OriginLetter>, logger: Logger) throws {
        let mailbox = try Mailbox<Letter>()
        self.mailbox = mailbox
        thread = try OwnedThread(name: "queue") {
            var loop = QueueLoop(opened, mailbox: mailbox, origins: origins, logger: logger)
            loop.run()
        }
    }

    /// Has it write what it was told, and waits until it is gone.
    func stop() {
        mailbox.post(.stop)
        thread.join()
    }
}

/// The loop of a queue's thread.
struct QueueLoop: ~Copyable {
    private let file: QueueFile
    private let mailbox: Mailbox<QueueThread.Letter>
    private let origins: Mailbox<OriginLetter>
    private let logger: Logger
    private var writer: JournalWriter
    /// Something of the file's end may not be what was written: only a new file helps.
    private var isBroken = false
    /// Whether the log has been told that it takes nothing.
    private var isTold = false
    private var isRunning = true

    init(
        _ opened: OpenedQueue, mailbox: Mailbox<QueueThread.Letter>,
        origins: Mailbox<OriginLetter>, logger: Logger
    ) {
        file = opened.file
        writer = opened.writer
        self.mailbox = mailbox
        self.origins = origins
        self.logger = logger
        guard let trouble = opened.trouble else { return }
        isBroken = true
        tell(trouble)
    }

    mutating func run() {
        do {
            var poller = Poller()
            let mail = poller.add(mailbox.wakeup)
            while isRunning {
                _ = try poller.wait(timeout: nil)
                take(mailbox.takeAll(isHeard: poller.isReady(mail)))
            }
        } catch {
            logger.error("the thread of the write queue ended: \(error)")
        }
        file.unlock()
    }

    /// Carries orders out, those together that come one after the other.
    private mutating func take(_ letters: [QueueThread.Letter]) {
        var together: [WriteQueueAction.JournalOrder] = []
        for letter in letters {
            switch letter {
            case .write(let order) where order.isWhole:
                append(together)
                together = []
                replace(order)
            case .write(let order): together.append(order)
            case .stop: isRunning = false
            }
        }
        append(together)
    }

    private mutating func append(_ orders: [WriteQueueAction.JournalOrder]) {
        guard !orders.isEmpty else { return }
        guard !isBroken else { return tell(orders, succeeded: false) }
        do throws(LogFileError) {
            let offset = writer.synchronizedBytes
            try file.append(writer.appendix(orders.flatMap(\.records)), at: offset)
            writer.synchronized()
            tell(orders, succeeded: true)
        } catch {
            failed(orders, error)
        }
    }

    private mutating func replace(_ order: WriteQueueAction.JournalOrder) {
        // A file that is not there in the end leaves the old one, and its numbers.
        var anew = writer
        do throws(LogFileError) {
            var dice = SystemRandomNumberGenerator()
            try file.replace(with: anew.whole(order.records, salt: FileSalt(drawnBy: &dice)))
            anew.synchronized()
            writer = anew
            isBroken = false
            if isTold { logger.notice("the write queue takes writes again") }
            isTold = false
            tell([order], succeeded: true)
        } catch {
            failed([order], error)
        }
    }

    private mutating func failed(_ orders: [WriteQueueAction.JournalOrder], _ error: LogFileError) {
        isBroken = true
        tell(error)
        tell(orders, succeeded: false)
    }

    /// Once, until it takes writes again.
    private mutating func tell(_ error: LogFileError) {
        guard !isTold else { return }
        isTold = true
        logger.error(
            """
            the write queue takes nothing: writes that their origin does not take at once are \
            refused until it can be written; it is tried again by itself
            """, metadata: ["reason": "\(error)"])
    }

    private func tell(_ orders: [WriteQueueAction.JournalOrder], succeeded: Bool) {
        for order in orders {
            origins.post(.journaled(order: order.number, succeeded: succeeded))
        }
    }
}
