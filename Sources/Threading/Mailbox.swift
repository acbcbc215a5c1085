public import ZeroMQ

/// The only way into a thread's loop from another thread: letters in order of posting, and a bell
/// that its poller watches.
///
/// Unbounded by itself; every sender is bounded by what it waits for (records by the log's pace
/// and the subscriber's bounds, publications by the shard's wait table).
public final class Mailbox<Letter: Sendable>: Sendable {
    /// What the owner's poller watches.
    @usableFromInline package let wakeup: Wakeup
    @usableFromInline package let letters: Guarded<[Letter]>

    /// Opens the bell.
    ///
    /// - Throws: ``ZeroMQ/ZeroMQError/isOutOfDescriptors``.
    package init() throws(ZeroMQError) {
        wakeup = try Wakeup()
        letters = Guarded([])
    }

    /// Adds a letter; rings if it is the first. From any thread.
    @inlinable
    package func post(_ letter: Letter) {
        let isFirst = letters.withLock { letters in
            letters.append(letter)
            return letters.count == 1
        }
        if isFirst { wakeup.signal() }
    }

    /// Takes all letters, in order, and silences the bell. Only the owner calls it.
    @inlinable
    package func takeAll() -> [Letter] {
        wakeup.drain()
        return letters.withLock { letters in
            let taken = letters
            letters = []
            return taken
        }
    }
}
