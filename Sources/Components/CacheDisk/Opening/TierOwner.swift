package import CacheModel

/// Whose tier it is to be, where, and how large.
package struct TierOwner: Equatable, Sendable {
    package var node: NodeID
    package var shard: UInt16
    /// Shards of the node.
    package var shardCount: UInt16
    package var machine: MachineFacts
    /// The division that the configured size has.
    package var geometry: DiskGeometry

    package init(
        node: NodeID, shard: UInt16, of shardCount: UInt16, machine: MachineFacts,
        geometry: DiskGeometry
    ) {
        self.node = node
        self.shard = shard
        self.shardCount = shardCount
        self.machine = machine
        self.geometry = geometry
    }
}
