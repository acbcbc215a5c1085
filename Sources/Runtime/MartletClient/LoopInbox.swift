import CacheClientCore
import Threading
import ZeroMQ

/// The input of the loop from other threads: letters, plain gets and jobs, under one lock, and a
/// bell.
///
/// The bell rings only if the loop sleeps or is about to. Input that comes while it works is read
/// in its next turn.
final class LoopInbox: Sendable {
    /// The contents of the inbox. Its arrays go back in empty, so that only a burst allocates
    /// memory.
    struct Mail: Sendable {
        var letters: [ClientLoop.Letter] = []
        var gets: [SingleGet] = []
        var jobs: [UnownedJob] = []

        var isEmpty: Bool { letters.isEmpty && gets.isEmpty && jobs.isEmpty }

        mutating func removeAll() {
            letters.empty()
            gets.empty()
            jobs.empty()
        }
    }

    private struct Content: Sendable {
        var mail = Mail()
        var isAsleep = false
        var isClosing = false
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// Whether to ring the bell for the last input.
        mutating func wakes() -> Bool {
            defer { isAsleep = false }
            return isAsleep
        }
    }

    let wakeup: Wakeup
    private let content = Guarded(Content())

    init() throws(ZeroMQError) { wakeup = try Wakeup() }

    // MARK: Any thread

    /// - Returns: `false` if the client is being closed: the letter will not be read.
    func post(_ letter: ClientLoop.Letter) -> Bool {
        put(unless: \.isClosing) { $0.letters.append(letter) }
    }

    /// - Returns: `false` if the client is being closed.
    func post(_ get: SingleGet) -> Bool {
        put(unless: \.isClosing) { $0.gets.append(get) }
    }

    /// - Returns: `false` if the loop has ended and runs nothing any more.
    func post(_ job: UnownedJob) -> Bool {
        put(unless: \.hasEnded) { $0.jobs.append(job) }
    }

    @inline(__always)
    private func put(
        unless isShut: (borrowing Content) -> Bool, _ append: (inout Mail) -> Void
    ) -> Bool {
        let (isIn, wakes) = content.withLock { content in
            guard !isShut(content) else { return (false, false) }
            append(&content.mail)
            return (true, content.wakes())
        }
        if wakes { wakeup.signal() }
        return isIn
    }

    func beginClosing() {
        content.withLock { $0.isClosing = true }
        wakeup.signal()
    }

    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = content.withLock { content in
                if !content.hasEnded { content.waiters.append(continuation) }
                return content.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    // MARK: The loop's thread

    /// Makes all later input ring the bell, unless there is input already.
    ///
    /// - Returns: whether the loop may sleep.
    func fallAsleepUnlessMail() -> Bool {
        content.withLock { content in
            content.isAsleep = content.mail.isEmpty && !content.isClosing
            return content.isAsleep
        }
    }

    /// Takes all input.
    ///
    /// - Parameter mail: empty; receives the input.
    /// - Returns: whether the client is being closed.
    func take(into mail: inout Mail) -> Bool {
        precondition(mail.isEmpty, "what was taken is settled before more is")
        return content.withLock { content in
            swap(&content.mail, &mail)
            content.isAsleep = false
            return content.isClosing
        }
    }

    /// Ends the inbox: it accepts nothing from now on.
    ///
    /// - Returns: the jobs that have not run, and the continuations that wait for the end.
    func end() -> (jobs: [UnownedJob], waiters: [CheckedContinuation<Void, Never>]) {
        content.withLock { content in
            content.hasEnded = true
            defer { (content.mail, content.waiters) = (Mail(), []) }
            return (content.mail.jobs, content.waiters)
        }
    }
}
