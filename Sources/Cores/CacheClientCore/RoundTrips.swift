package import CacheWire

/// The distance of each node of a topology: the median of its last round trips.
///
/// Nodes without a measurement are chosen first, in turn; then the nearest node. One choice in
/// ``ClientLimits/roundTripProbeInterval`` goes to the next node in turn, so that a node that was
/// slow once is measured again.
package struct RoundTrips: Sendable {
    private var samples: [[Duration]]
    private var cursors: [Int]
    private var choiceCount = 0
    private var turn = 0

    package init(nodeCount: Int) {
        samples = Array(repeating: [], count: nodeCount)
        cursors = Array(repeating: 0, count: nodeCount)
    }

    package mutating func measured(_ node: NodeIndex, _ duration: Duration) {
        let index = node.rawValue
        guard samples.indices.contains(index) else { return }
        if samples[index].count < ClientLimits.roundTripSamples {
            samples[index].append(duration)
        } else {
            samples[index][cursors[index]] = duration
            cursors[index] = (cursors[index] + 1) % ClientLimits.roundTripSamples
        }
    }

    /// The median of a node's last round trips; `nil` before the first.
    ///
    /// - Complexity: O(samples · log samples).
    package func median(of node: NodeIndex) -> Duration? {
        let sorted = samples[node.rawValue].sorted()
        return sorted.isEmpty ? nil : sorted[sorted.count / 2]
    }

    /// The node to ask next, among those that `isEligible` lets through.
    ///
    /// - Returns: `nil` if none is eligible.
    package mutating func choose(where isEligible: (NodeIndex) -> Bool) -> NodeIndex? {
        let eligible = samples.indices.map(NodeIndex.init).filter(isEligible)
        guard !eligible.isEmpty else { return nil }
        choiceCount += 1
        let unmeasured = eligible.filter { samples[$0.rawValue].isEmpty }
        if !unmeasured.isEmpty { return next(of: unmeasured) }
        if choiceCount % ClientLimits.roundTripProbeInterval == 0 { return next(of: eligible) }
        return eligible.min {
            (median(of: $0) ?? .zero) < (median(of: $1) ?? .zero)
        }
    }

    private mutating func next(of nodes: [NodeIndex]) -> NodeIndex {
        turn += 1
        return nodes[turn % nodes.count]
    }
}
