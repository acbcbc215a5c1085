package import CacheModel
import ByteCoding

extension Topology {
    /// The shard that owns a key, among all of them.
    ///
    /// - Returns: `nil` if no shard can own anything: there is none, or none has a weight.
    /// - Complexity: O(shards).
    package func owner(of route: RouteHash) -> SlotIndex? {
        owner(of: route, within: shards.indices)
    }

    /// The shard that would own a key if only the nodes accepted by `isEligible` existed.
    ///
    /// - Returns: `nil` if none of them can own anything.
    /// - Complexity: O(shards).
    package func owner(
        of route: RouteHash, where isEligible: (NodeIndex) -> Bool
    ) -> SlotIndex? {
        var best: SlotIndex?
        for index in nodes.indices where isEligible(NodeIndex(index)) {
            guard let own = owner(of: route, within: nodes[index].slots) else { continue }
            if best.map({ outranks(own, $0, route) }) ?? true { best = own }
        }
        return best
    }

    private func outranks(_ slot: SlotIndex, _ other: SlotIndex, _ route: RouteHash) -> Bool {
        let mine = score(route, of: slot.rawValue)
        let others = score(route, of: other.rawValue)
        guard !slotWeights.isEmpty else { return mine > others }
        return Self.negativeLogarithm(ofScore: mine) / slotWeights[slot.rawValue]
            < Self.negativeLogarithm(ofScore: others) / slotWeights[other.rawValue]
    }

    private func score(_ route: RouteHash, of slot: Int) -> UInt64 {
        StableHash.mix(route.rawValue ^ slotHashes[slot])
    }

    /// The shard of one node that holds a key there: on a replica, or on a node that is asked
    /// although it does not own the key.
    ///
    /// - Returns: `nil` if the node has no shard.
    /// - Complexity: O(shards of the node).
    package func shard(of route: RouteHash, on node: NodeIndex) -> SlotIndex? {
        highest(route, within: nodes[node.rawValue].slots)
    }

    /// The address of the shard that owns `key`.
    ///
    /// - Complexity: O(bytes + shards).
    package func owner(of key: CacheKey, in namespace: Namespace) -> ShardAddress? {
        owner(of: RouteHash(of: key.bytes, in: namespace)).map { self[$0] }
    }

    private func owner(of route: RouteHash, within slots: Range<Int>) -> SlotIndex? {
        slotWeights.isEmpty
            ? highest(route, within: slots) : lightest(route, within: slots)
    }

    /// The unweighted rule: the highest score wins; in a tie the first shard.
    private func highest(_ route: RouteHash, within slots: Range<Int>) -> SlotIndex? {
        guard !slots.isEmpty else { return nil }
        return slotHashes.withUnsafeBufferPointer { hashes in
            var best = slots.lowerBound
            var bestScore = StableHash.mix(route.rawValue ^ hashes[best])
            for slot in slots.dropFirst() {
                let score = StableHash.mix(route.rawValue ^ hashes[slot])
                if score > bestScore {
                    best = slot
                    bestScore = score
                }
            }
            return SlotIndex(best)
        }
    }

    /// The weighted rule: the least cost wins; in a tie the first shard. A weight of zero owns
    /// nothing.
    private func lightest(_ route: RouteHash, within slots: Range<Int>) -> SlotIndex? {
        var best: Int?
        var bestCost = Double.infinity
        for slot in slots where slotWeights[slot] > 0 {
            let cost =
                Self.negativeLogarithm(ofScore: score(route, of: slot)) / slotWeights[slot]
            if cost < bestCost {
                best = slot
                bestCost = cost
            }
        }
        return best.map(SlotIndex.init)
    }

    /// −ln of the score as a number strictly between 0 and 1.
    static func negativeLogarithm(ofScore score: UInt64) -> Double {
        -naturalLogarithm((Double(score >> 11) + 0.5) * 0x1p-53)
    }

    /// The natural logarithm of a normal number above 0, within two units in the last place.
    ///
    /// The standard library has none, and this layer imports no other. With x = m·2^e and m between
    /// √½ and √2, ln x = e·ln 2 + 2·artanh(s), where s = (m − 1) ÷ (m + 1); the series of artanh
    /// then falls by a factor of 34 with each term.
    static func naturalLogarithm(_ x: Double) -> Double {
        var mantissa = x.significand
        var exponent = Double(x.exponent)
        if mantissa > 1.4142135623730951 {
            mantissa /= 2
            exponent += 1
        }
        let s = (mantissa - 1) / (mantissa + 1)
        let square = s * s
        var sum = 0.0
        for odd in stride(from: 25.0, through: 3.0, by: -2.0) { sum = (sum + 1 / odd) * square }
        return exponent * 0.6931471805599453 + 2 * s * (1 + sum)
    }
}
