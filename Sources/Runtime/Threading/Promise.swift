import Dispatch

/// A value that one thread sets, once, and others wait for.
///
/// Its maker ensures that it is fulfilled: a thread that waits, waits as long as it takes.
package final class Promise<Value: Sendable>: Sendable {
    private let value = Guarded<Value?>(nil)
    private let gate = DispatchSemaphore(value: 0)

    package init() {}

    /// Sets the value. From any thread; only the first call counts.
    package func fulfil(_ value: Value) {
        let isFirst = self.value.withLock { held in
            guard case .none = held else { return false }
            held = .some(value)
            return true
        }
        if isFirst { gate.signal() }
    }

    /// Blocks until the value is there. Any number of threads may, any number of times.
    package func wait() -> Value {
        gate.wait()
        // The next thread that waits must get through, too.
        gate.signal()
        guard case .some(let value) = value.withLock({ $0 }) else {
            preconditionFailure("the gate opens only after the value is given")
        }
        return value
    }
}
