package import CacheModel
import ByteCoding

extension Topology {
    /// The shard that owns a key, among all of them.
    ///
    /// - Returns: `nil` if no shard can own anything: there is none, or none has a weight.
    /// - Complexity: O(shards).
    package func owner(of route: RouteHash) -> ShardNumber? {
        if let slotOwners { return slotOwners[route.slot] }
        return owner(of: route, within: shards.indices)
    }

    /// The shard that would own a key if only the nodes accepted by `isEligible` existed.
    ///
    /// - Returns: `nil` if none of them can own anything.
    /// - Complexity: O(shards).
    package func owner(
        of route: RouteHash, where isEligible: (NodeIndex) -> Bool
    ) -> ShardNumber? {
        if let owner = slotOwners?[route.slot], isEligible(self[owner].nodeIndex) { return owner }
        var best: ShardNumber?
        for index in nodes.indices where isEligible(NodeIndex(index)) {
            guard let own = owner(of: route, within: nodes[index].shardNumbers) else { continue }
            if best.map({ outranks(own, $0, route) }) ?? true { best = own }
        }
        return best
    }

    private func outranks(_ number: ShardNumber, _ other: ShardNumber, _ route: RouteHash) -> Bool {
        let mine = score(route, of: number.rawValue)
        let others = score(route, of: other.rawValue)
        guard !shardWeights.isEmpty else { return mine > others }
        return Self.negativeLogarithm(ofScore: mine) / shardWeights[number.rawValue]
            < Self.negativeLogarithm(ofScore: others) / shardWeights[other.rawValue]
    }

    private func score(_ route: RouteHash, of number: Int) -> UInt64 {
        StableHash.mix(route.rawValue ^ shardHashes[number])
    }

    /// The shard of one node that holds a key there: on a replica, or on a node that is asked
    /// although it does not own the key.
    ///
    /// - Returns: `nil` if the node has no shard.
    /// - Complexity: O(shards of the node).
    package func shard(of route: RouteHash, on node: NodeIndex) -> ShardNumber? {
        if let owner = slotOwners?[route.slot], self[owner].nodeIndex == node { return owner }
        return highest(route, within: nodes[node.rawValue].shardNumbers)
    }

    /// The address of the shard that owns `key`.
    ///
    /// - Complexity: O(bytes + shards).
    package func owner(of key: CacheKey, in namespace: Namespace) -> ShardAddress? {
        owner(of: RouteHash(of: key.bytes, in: namespace)).map { self[$0] }
    }

    private func owner(of route: RouteHash, within numbers: Range<Int>) -> ShardNumber? {
        shardWeights.isEmpty
            ? highest(route, within: numbers) : lightest(route, within: numbers)
    }

    /// The unweighted rule: the highest score wins; in a tie the first shard.
    private func highest(_ route: RouteHash, within numbers: Range<Int>) -> ShardNumber? {
        guard !numbers.isEmpty else { return nil }
        return shardHashes.withUnsafeBufferPointer { hashes in
            var best = numbers.lowerBound
            var bestScore = StableHash.mix(route.rawValue ^ hashes[best])
            for number in numbers.dropFirst() {
                let score = StableHash.mix(route.rawValue ^ hashes[number])
                if score > bestScore {
                    best = number
                    bestScore = score
                }
            }
            return ShardNumber(best)
        }
    }

    /// The weighted rule: the least cost wins; in a tie the first shard. A weight of zero owns
    /// nothing.
    private func lightest(_ route: RouteHash, within numbers: Range<Int>) -> ShardNumber? {
        var best: Int?
        var bestCost = Double.infinity
        for number in numbers where shardWeights[number] > 0 {
            let cost =
                Self.negativeLogarithm(ofScore: score(route, of: number)) / shardWeights[number]
            if cost < bestCost {
                best = number
                bestCost = cost
            }
        }
        return best.map(ShardNumber.init)
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
