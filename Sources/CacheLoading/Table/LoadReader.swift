package import CacheModel

/// One operation of a request that waits for a load.
package struct LoadReader: Equatable, Sendable {
    /// The request, in the table of those that wait.
    package var request: UInt64
    /// Which of its operations.
    package var operation: Int
    /// What was applied when it asked: an invalidation after that came after the question.
    package var askedAt: LogPosition
    /// How new what it waits for has to be.
    package var freshness = LoadFreshness.any
    /// It is another node: what it waits for must not wait for a node.
    package var isForPeer = false
    /// How it waits: somebody for the value, or nobody.
    package var urgency: LoadUrgency

    package init(
        request: UInt64, operation: Int, askedAt: LogPosition, urgency: LoadUrgency = .awaited
    ) {
        self.request = request
        self.operation = operation
        self.askedAt = askedAt
        self.urgency = urgency
    }
}
