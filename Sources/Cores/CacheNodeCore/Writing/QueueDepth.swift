/// State of the node's write queue, for the shard that reports it.
package struct QueueDepth: Hashable, Sendable {
    package var waiting: Int
    /// Refused by their origin for good.
    package var rejected: Int
    /// Whether it accepts nothing now, as when its disk is full.
    package var isUnusable: Bool

    package init(waiting: Int = 0, rejected: Int = 0, isUnusable: Bool = false) {
        self.waiting = waiting
        self.rejected = rejected
        self.isUnusable = isUnusable
    }
}
