import Foundation
import Synchronization

/// A thread of its own for one body, and what the body ended with.
final class PublisherThread<Outcome: Sendable>: Sendable {
    private let outcome = Mutex<Outcome?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(name: String, _ body: @escaping @Sendable () -> Outcome) {
        let thread = Thread { [self] in
            let result = body()
            outcome.withLock { $0 = result }
            ended.signal()
        }
        thread.name = name
        thread.start()
    }

    /// Waits for the body's end. Any thread may, any number of times.
    func join() -> Outcome {
        ended.wait()
        // The next one who waits must get through too.
        ended.signal()
        guard let result = outcome.withLock({ $0 }) else {
            preconditionFailure("a thread that has ended has an outcome")
        }
        return result
    }
}
