/// How much of a node's memory one namespace may have: shares of the whole, and a number of
/// entries.
public struct MemoryQuota: Hashable, Sendable {
    /// What happens to a store that does not fit.
    public enum WhenFull: String, CaseIterable, Sendable {
        /// Another entry of the namespace is evicted for it.
        case evict
        /// It is refused: no entry of the namespace is ever evicted for room.
        case refuse
    }

    /// No bound and no promise.
    public static let standard = MemoryQuota(most: .all, guaranteed: .none)

    /// It never has more than this. Storing more evicts the namespace's own entries.
    public var most: Percent
    /// While it has no more than this, storing in other namespaces evicts none of its entries.
    public var guaranteed: Percent
    /// It never has more entries in memory than this, at least 1. Of a node with all its shards, or
    /// of one shard: see ``part(ofShards:)``. `nil`: no bound but memory.
    public var entriesMax: Int?
    public var whenFull = WhenFull.evict

    public init(most: Percent, guaranteed: Percent) {
        self.most = most
        self.guaranteed = guaranteed
    }

    /// What no other namespace can have: what is guaranteed, or all that it may have where its
    /// entries are never evicted.
    public var promised: Percent { whenFull == .refuse ? most : guaranteed }

    /// The quota of each of so many shards of a node.
    public func part(ofShards shardCount: Int) -> MemoryQuota {
        var part = self
        part.entriesMax = entriesMax.map { max(1, $0 / max(1, shardCount)) }
        return part
    }
}
