package import CacheModel

/// The result of a finished wait: the nodes that have applied the position, those that can serve
/// nothing fresh any more, and those that still owe.
package struct ReceiptOutcome: Hashable, Sendable {
    /// One node, and the time since the append.
    package struct Line: Hashable, Sendable {
        package let node: NodeID
        package let elapsed: Duration

        package init(node: NodeID, elapsed: Duration) {
            self.node = node
            self.elapsed = elapsed
        }
    }

    package let order: ReceiptTracker.Order
    /// Whether the goal was reached; else the deadline passed.
    package let isComplete: Bool
    package let applied: [Line]
    package let expired: [Line]
    package let pending: [NodeID]
}
