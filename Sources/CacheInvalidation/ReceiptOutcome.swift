package import CacheModel

/// What a finished wait knows: who has obeyed, who can serve nothing fresh any more, and who still
/// owes.
package struct ReceiptOutcome: Hashable, Sendable {
    /// One node, and how long after the append.
    package struct Line: Hashable, Sendable {
        package let node: NodeID
        package let elapsed: Duration

        package init(node: NodeID, elapsed: Duration) {
            self.node = node
            self.elapsed = elapsed
        }
    }

    package let order: ReceiptTracker.Order
    /// Whether the goal was reached; else the time was up.
    package let isComplete: Bool
    package let applied: [Line]
    package let expired: [Line]
    package let pending: [NodeID]
}
