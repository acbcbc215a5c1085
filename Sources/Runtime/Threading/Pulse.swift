import Synchronization

/// A question to several threads, whether they still turn. Each answers when it takes the letter
/// that brings it.
///
///     asker ── Pulse(of: 3) ──letters──▶ shard   control   origin
///       ▲                                  │        │        │
///       └────────── whole() ◀── the last ──┴─ beat ─┴─ beat ─┘
///
/// A thread that hangs or has ended does not answer: then `whole` is not called.
package final class Pulse: Sendable {
    private let missing: Atomic<Int>
    private let whole: @Sendable () -> Void

    /// - Parameters:
    ///   - threadCount: how many are asked, at least one.
    ///   - whole: called once, on the last of the threads that answer. It must not wait there.
    package init(of threadCount: Int, whole: @escaping @Sendable () -> Void) {
        precondition(threadCount > 0, "at least one thread is asked")
        missing = Atomic(threadCount)
        self.whole = whole
    }

    /// The calling thread turns. Each thread that is asked calls it once.
    package func beat() {
        let left = missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { whole() }
    }
}
