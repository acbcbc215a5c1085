package import CacheModel

/// Owner, location and size of a tier.
package struct TierOwner: Equatable, Sendable {
    package var node: NodeID
    package var shard: UInt16
    /// The number of the node's shards.
    package var shardCount: UInt16
    package var machine: TierMachineFacts
    /// The layout for the configured size.
    package var geometry: DiskGeometry

    package init(
        node: NodeID, shard: UInt16, of shardCount: UInt16, machine: TierMachineFacts,
        geometry: DiskGeometry
    ) {
        self.node = node
        self.shard = shard
        self.shardCount = shardCount
        self.machine = machine
        self.geometry = geometry
    }
}
