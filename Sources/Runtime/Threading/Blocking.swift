import Dispatch

/// Does what blocks on a thread of its own while the task waits: Swift's few shared threads stay
/// free. Where the system starts no more threads it is done on this one.
///
/// - Parameter name: of the thread, for debuggers and `top`.
/// - Returns: what `body` returned. It is not cancelled with the task.
package func blocking<Outcome: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Outcome
) async -> Outcome {
    await withCheckedContinuation { continuation in
        do throws(ThreadStartError) {
            _ = try OwnedThread(name: name) { continuation.resume(returning: body()) }
        } catch {
            continuation.resume(returning: body())
        }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Sleeps.
    ///
    /// - Returns: `false` if the task was cancelled.
    package static func slept(for duration: Duration) async -> Bool {
        do {
            try await sleep(for: duration)
            return true
        } catch {
            return false
        }
    }
}

/// A queue between threads whose reader waits for the next element.
package final class BlockingQueue<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])
    private let gate = DispatchSemaphore(value: 0)

    package init() {}

    /// Adds an element. From any thread.
    package func put(_ element: Element) {
        elements.withLock { $0.append(element) }
        gate.signal()
    }

    /// Waits for the next element, in the order of adding.
    package func next() -> Element {
        gate.wait()
        return elements.withLock { $0.removeFirst() }
    }
}
