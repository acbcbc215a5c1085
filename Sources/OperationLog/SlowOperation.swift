package import CacheModel

/// One operation that took long, for a line in a log.
package struct SlowOperation: Sendable {
    /// What was asked for, such as `get`.
    package var operation: String
    package var namespace: Namespace?
    /// The first of its keys; `nil` for what is about none.
    package var key: [UInt8]?
    package var keyCount = 0
    package var took: Duration
    /// Where that went, as far as it is known: names, in the order in which they are written.
    package var parts: [(name: String, took: Duration)] = []
    /// What else is worth saying.
    package var facts: [(name: String, value: String)] = []
    package var trace: TraceContext?

    package init(_ operation: String, took: Duration) {
        self.operation = operation
        self.took = took
    }
}
