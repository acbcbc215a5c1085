package import CacheModel

/// The owner of each slot among the shards of a topology.
package struct SlotOwners: Hashable, Sendable {
    /// By slot: the number of a shard, or ``none``.
    private let numbers: [UInt16]
    private static let none = UInt16.max

    /// An owner that is not among the nodes, or has fewer shards there, owns nothing.
    ///
    /// - Complexity: O(slots + members · nodes).
    init(_ table: SlotTable, _ nodes: [Topology.Node]) {
        let places = Dictionary(
            nodes.map { ($0.id, $0.shardNumbers) }, uniquingKeysWith: { first, _ in first })
        let shards = table.members.mapValues { places[$0.node] ?? 0..<0 }
        numbers = table.owners.map { owner in
            guard let owner, let range = shards[owner.member], Int(owner.shard) < range.count
            else { return Self.none }
            return UInt16(exactly: range.lowerBound + Int(owner.shard)) ?? Self.none
        }
    }

    /// Whether no slot has an owner yet.
    ///
    /// - Complexity: O(slots).
    package var isEmpty: Bool { numbers.allSatisfy { $0 == Self.none } }

    /// Whether a shard owns any slot.
    ///
    /// - Complexity: O(slots).
    package func contains(_ shard: ShardNumber) -> Bool {
        numbers.contains { Int($0) == shard.rawValue }
    }

    /// `nil`: it has no owner.
    package subscript(slot: HashSlot) -> ShardNumber? {
        let number = numbers[Int(slot.rawValue)]
        return number == Self.none ? nil : ShardNumber(Int(number))
    }
}
