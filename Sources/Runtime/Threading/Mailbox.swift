public import ZeroMQ

/// The only way into a thread's loop from another thread: letters in order of posting, and a bell
/// that its poller watches.
///
/// Unbounded by itself; every sender is bounded by what it waits for (records by the log's pace
/// and the subscriber's bounds, publications by the shard's wait table).
public final class Mailbox<Letter: Sendable>: Sendable {
    /// What the owner's poller watches.
    @usableFromInline package let wakeup: Wakeup
    @usableFromInline let content: Guarded<Content>

    @usableFromInline
    struct Content: Sendable {
        @usableFromInline var letters: [Letter] = []
        /// Whether the bell was rung since the letters were taken last.
        @usableFromInline var isRung = false

        @usableFromInline
        init() {}
    }

    /// Opens the bell.
    ///
    /// - Throws: ``ZeroMQ/ZeroMQError/isOutOfDescriptors``.
    package init() throws(ZeroMQError) {
        wakeup = try Wakeup()
        content = Guarded(Content())
    }

    /// Adds a letter and rings, unless the bell rings already. From any thread.
    ///
    /// - Parameter rings: `false` leaves the owner asleep: the letter is taken with the next that
    ///   rings, or whenever the owner looks.
    @inlinable
    package func post(_ letter: Letter, rings: Bool = true) {
        let isDue = content.withLock { content in
            content.letters.append(letter)
            guard rings, !content.isRung else { return false }
            content.isRung = true
            return true
        }
        if isDue { wakeup.signal() }
    }

    /// Takes all letters, in order, and silences the bell. Only the owner calls it.
    ///
    /// - Parameter isHeard: `false` if the poller has not heard the bell. It is left as it is
    ///   then, so that looking costs no system call; at worst it wakes the owner once for nothing.
    @inlinable
    package func takeAll(isHeard: Bool = true) -> [Letter] {
        if isHeard { wakeup.drain() }
        return content.withLock { content in
            let taken = content.letters
            content.letters = []
            content.isRung = false
            return taken
        }
    }

    /// Puts letters that were taken back before all others, and rings. Only the owner calls it.
    package func giveBack(_ letters: ArraySlice<Letter>) {
        guard !letters.isEmpty else { return }
        content.withLock { content in
            content.letters.insert(contentsOf: letters, at: 0)
            content.isRung = true
        }
        wakeup.signal()
    }
}
