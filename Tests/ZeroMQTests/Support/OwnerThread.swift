import Foundation
import Synchronization

/// A thread of its own for a body, and what the body ended with.
final class OwnerThread<Outcome: Sendable>: Sendable {
    private let outcome = Mutex<Outcome?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Outcome) {
        Thread.detachNewThread { [self] in
            let result = body()
            outcome.withLock { $0 = result }
            ended.signal()
        }
    }

    var hasEnded: Bool { outcome.withLock { $0 != nil } }

    /// What the body ended with; `nil` if it has not ended in good time.
    func join() -> Outcome? {
        guard ended.wait(timeout: .now() + 20) == .success else { return nil }
        return outcome.withLock { $0 }
    }
}
