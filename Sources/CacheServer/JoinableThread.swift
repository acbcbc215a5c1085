import Foundation
import Synchronization

/// A named thread that can be waited for.
final class JoinableThread: Sendable {
    private let finished: Promise<Void>

    init(name: String, _ body: @escaping @Sendable () -> Void) {
        let finished = Promise<Void>()
        self.finished = finished
        let thread = Thread {
            body()
            finished.fulfil(.success(()))
        }
        thread.name = name
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// Waits until the thread's body has returned. May be called more than once.
    func join() {
        do {
            try finished.wait()
        } catch {
            preconditionFailure("a thread's end is never a failure")
        }
    }
}

/// A value that one thread waits for and another gives, once.
final class Promise<Value: Sendable>: Sendable {
    private let outcome = Mutex<Result<Value, any Error>?>(nil)
    private let gate = DispatchSemaphore(value: 0)

    /// Gives the value. Only the first call counts.
    func fulfil(_ result: Result<Value, any Error>) {
        outcome.withLock { if $0 == nil { $0 = result } }
        gate.signal()
    }

    /// Blocks until the value is there.
    func wait() throws -> Value {
        gate.wait()
        gate.signal()
        guard let result = outcome.withLock({ $0 }) else {
            preconditionFailure("the gate opens only after the outcome is set")
        }
        return try result.get()
    }
}
