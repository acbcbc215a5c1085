import Foundation
import Synchronization

/// How a thread tells who started it whether its ports are bound, once.
final class StartSignal: Sendable {
    typealias Outcome = Result<PublisherEndpoints, PublisherStartError>

    private let outcome = Mutex<Outcome?>(nil)
    private let told = DispatchSemaphore(value: 0)

    func tell(_ result: Outcome) {
        outcome.withLock { $0 = result }
        told.signal()
    }

    func wait() -> Outcome {
        told.wait()
        guard let result = outcome.withLock({ $0 }) else {
            preconditionFailure("who was told has an outcome")
        }
        return result
    }
}
