package import CacheModel

/// The publisher's report about itself and each node.
package struct PublisherSighting: Hashable, Sendable {
    /// The publisher's view of one node.
    package struct Line: Hashable, Sendable {
        package var state: NodeState
        /// `nil`: the publisher knows no run of it.
        package var applied: LogPosition?
        /// `nil`: no invalidation waits for it.
        package var grantLeft: Duration?

        package init(state: NodeState, applied: LogPosition?, grantLeft: Duration?) {
            self.state = state
            self.applied = applied
            self.grantLeft = grantLeft
        }
    }

    package var state: NodeState
    package var head: LogPosition
    package var figures: [String: UInt64]
    package var lines: [NodeID: Line]

    package init(
        state: NodeState, head: LogPosition, figures: [String: UInt64],
        lines: [NodeID: Line] = [:]
    ) {
        self.state = state
        self.head = head
        self.figures = figures
        self.lines = lines
    }
}
