public import Synchronization

/// A value that several threads share, one at a time.
///
/// A `Mutex` with an order that ThreadSanitizer sees, too; see ``SanitizerOrder``.
public final class Guarded<Value: Sendable>: Sendable {
    @usableFromInline package let value: Mutex<Value>

    @inlinable
    package init(_ value: Value) {
        self.value = Mutex(value)
    }

    /// Runs `body` with the value while no other thread has it. Waits until then; a body that locks
    /// the same value again waits for ever.
    @inlinable
    package func withLock<Outcome: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        try value.withLock { (value) throws(Failure) in
            SanitizerOrder.acquire(self)
            defer { SanitizerOrder.release(self) }
            return try body(&value)
        }
    }
}
