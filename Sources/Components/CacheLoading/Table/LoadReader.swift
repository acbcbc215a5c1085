package import CacheModel

/// One operation of a request that waits for a load.
package struct LoadReader: Equatable, Sendable {
    /// The number of the request in the table of waiting requests.
    package var request: UInt64
    /// The index of its operation.
    package var operation: Int
    /// The position applied when it asked: a later invalidation came after the request.
    package var askedAt: LogPosition
    /// The required freshness of the result.
    package var freshness = LoadFreshness.any
    /// Another node asks: its load must not wait for a peer.
    package var isForPeer = false
    /// Whether a reader waits for the value, or none.
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
