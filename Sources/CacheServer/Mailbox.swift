import Synchronization
import ZeroMQ

/// The only way into a thread's loop from another thread: letters in order of posting, and a
/// wake-up that its poller watches.
///
/// Unbounded by itself; every sender is bounded by what it waits for (records by the log's pace
/// and the subscriber's bounds, publications by the shard's wait table).
final class Mailbox<Letter: Sendable>: Sendable {
    let wakeup: Wakeup
    private let letters = Mutex<[Letter]>([])

    init() throws(ZeroMQError) {
        wakeup = try Wakeup()
    }

    /// Adds a letter; wakes the owner if it was the first.
    func post(_ letter: Letter) {
        let isFirst = letters.withLock { letters in
            letters.append(letter)
            return letters.count == 1
        }
        if isFirst { wakeup.signal() }
    }

    /// Takes all letters, in order. Only the owner calls it.
    func takeAll() -> [Letter] {
        wakeup.drain()
        return letters.withLock { letters in
            let taken = letters
            letters = []
            return taken
        }
    }
}
