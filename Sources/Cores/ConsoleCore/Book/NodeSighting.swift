package import CacheModel

/// A node's report about itself.
package struct NodeSighting: Hashable, Sendable {
    package struct Shard: Hashable, Sendable {
        package var state: NodeState
        package var position: LogPosition
        package var figures: [String: UInt64]

        package init(state: NodeState, position: LogPosition, figures: [String: UInt64]) {
            self.state = state
            self.position = position
            self.figures = figures
        }
    }

    package var shards: [Shard]
    /// The state of that shard that may promise least.
    package var state: NodeState
    /// Why it is not live, as a sentence.
    package var reason: String?

    package init(shards: [Shard], state: NodeState, reason: String? = nil) {
        self.shards = shards
        self.state = state
        self.reason = reason
    }
}
