package import CacheModel

/// Which shard owns each slot, so that all have their share by weight and as few slots as possible
/// move. docs/decisions/0120 gives the reasons.
///
///     members ─▶ slots of each node, by weight ─▶ of each of its shards ─▶ moves
///
/// Nodes get their exact share within one slot, and the shards of a node as many as each other
/// within one. Where shares have to be rounded they are rounded so that what is there stays.
package struct SlotAssignment: Equatable {
    struct Member: Hashable {
        let number: MemberNumber
        /// 1 to 64.
        let shardCount: UInt8
        /// In thousandths; 0: it gets no slots.
        let weight: UInt32

        fileprivate var shards: [SlotOwner] {
            (0..<shardCount).map { SlotOwner(member: number, shard: $0) }
        }
    }

    /// By slot; `nil`: it has no owner.
    private(set) var owners: [SlotOwner?]

    init(slotCount: Int) { owners = Array(repeating: nil, count: slotCount) }

    init(_ owners: [SlotOwner?]) { self.owners = owners }

    /// Gives all slots to these members, and to no others.
    ///
    /// - Parameter members: each number once.
    /// - Returns: the slots that have another owner now, ascending. Without a member that has a
    ///   weight nothing changes.
    /// - Complexity: O(slots + shards · log shards).
    mutating func balance(over members: [Member]) -> [Int] {
        let shares = shares(of: members.filter { $0.weight > 0 })
        guard !shares.isEmpty else { return [] }
        var lacking = shares
        var homeless: [Int] = []
        for (slot, owner) in owners.enumerated() {
            if let owner, let left = lacking[owner], left > 0 {
                lacking[owner] = left - 1
            } else {
                homeless.append(slot)
            }
        }
        var rest = homeless[...]
        for (owner, count) in lacking.sorted(by: { $0.key < $1.key }) {
            for slot in rest.prefix(count) { owners[slot] = owner }
            rest = rest.dropFirst(count)
        }
        return homeless
    }

    /// How many slots each shard is to have; their sum is the number of slots.
    private func shares(of members: [Member]) -> [SlotOwner: Int] {
        var held: [SlotOwner: Int] = [:]
        for case let owner? in owners { held[owner, default: 0] += 1 }
        let ofNodes = Self.divide(
            owners.count,
            members.map { member in
                let count = member.shards.reduce(0) { $0 + held[$1, default: 0] }
                return (Int(member.weight), count)
            })
        var shares: [SlotOwner: Int] = [:]
        for (member, count) in zip(members, ofNodes) {
            let shards = member.shards
            let parts = Self.divide(count, shards.map { (1, held[$0, default: 0]) })
            for (shard, part) in zip(shards, parts) { shares[shard] = part }
        }
        return shares
    }

    /// How many slots each node is to have, before anything moves.
    ///
    /// - Parameters:
    ///   - nodes: with weights in thousandths, each number once.
    ///   - held: how many slots nodes have; their sum is divided.
    package static func shares(
        of nodes: [(number: MemberNumber, weight: UInt32)],
        held: [(number: MemberNumber, count: Int)]
    ) -> [MemberNumber: Int] {
        let counts = Dictionary(held.map { ($0.number, $0.count) }, uniquingKeysWith: +)
        let parts = divide(
            counts.values.reduce(0, +),
            nodes.map { (Int($0.weight), counts[$0.number] ?? 0) })
        return Dictionary(
            zip(nodes.map(\.number), parts), uniquingKeysWith: { first, _ in first })
    }

    /// Divides slots by weight. What is left over by rounding down goes first where it lies, then
    /// by the largest remainder (Hamilton's method).
    private static func divide(
        _ total: Int, _ parts: [(weight: Int, held: Int)]
    ) -> [Int] {
        let sum = parts.reduce(0) { $0 + $1.weight }
        guard sum > 0 else { return parts.map { _ in 0 } }
        var shares = parts.map { total * $0.weight / sum }
        let remainders = parts.map { total * $0.weight % sum }
        let left = total - shares.reduce(0, +)
        let order = parts.indices.filter { remainders[$0] > 0 }.sorted { one, other in
            let keeps = (parts[one].held > shares[one], parts[other].held > shares[other])
            if keeps.0 != keeps.1 { return keeps.0 }
            return (remainders[other], one) < (remainders[one], other)
        }
        for index in order.prefix(left) { shares[index] += 1 }
        return shares
    }
}
