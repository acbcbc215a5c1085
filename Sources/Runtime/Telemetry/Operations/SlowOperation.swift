package import CacheModel

/// One slow operation, for a log line.
package struct SlowOperation: Sendable {
    /// The operation, such as `get`.
    package var operation: String
    package var namespace: Namespace?
    /// The first of its keys; `nil` if it has none.
    package var key: [UInt8]?
    package var keyCount = 0
    package var took: Duration
    /// The known parts of that time, in the order of the log line.
    package var parts: [(name: String, took: Duration)] = []
    /// Further fields of the log line.
    package var facts: [(name: String, value: String)] = []
    package var trace: TraceContext?

    package init(_ operation: String, took: Duration) {
        self.operation = operation
        self.took = took
    }
}
