import Foundation

/// A thread of its own for a body, and what the body ended with.
///
/// Sendable without the compiler's proof: `outcome` is touched only under `lock`. That is one of
/// the system's, because ThreadSanitizer does not see all of a `Mutex`.
final class OwnerThread<Outcome: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var outcome: Outcome?
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Outcome) {
        Thread.detachNewThread { [self] in
            let result = body()
            lock.withLock { outcome = result }
            ended.signal()
        }
    }

    var hasEnded: Bool { lock.withLock { outcome != nil } }

    /// What the body ended with; `nil` if it has not ended in good time.
    func join() -> Outcome? {
        guard ended.wait(timeout: .now() + 20) == .success else { return nil }
        return lock.withLock { outcome }
    }
}
