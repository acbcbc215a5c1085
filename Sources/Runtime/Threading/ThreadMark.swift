public import CPlatform

/// Tells a thread from all others that run now, at the cost of a call.
///
/// A mark is used again once its thread has ended: its owner forgets it before.
public struct ThreadMark: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt

    /// The mark of no thread.
    @inlinable
    package static var none: ThreadMark { ThreadMark(rawValue: 0) }

    /// The calling thread's, never ``none``.
    @inlinable
    package static var current: ThreadMark { ThreadMark(rawValue: martlet_thread_mark()) }

    @inlinable
    package init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}
