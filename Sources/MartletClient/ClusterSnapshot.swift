public import CacheModel

/// The publisher and every node of a cluster at about one moment.
public struct ClusterSnapshot: Sendable {
    /// Who is where; what is below follows it.
    public var topology: ClusterTopology
    /// What the publisher told, or why it did not.
    public var publisher: Result<StatusSnapshot, CacheError>
    /// What each node told of its shards, or why it did not.
    public var nodes: [NodeID: Result<[StatusSnapshot], CacheError>]
    /// When each node's answer, or the end of waiting for it, came.
    public var toldAt: [NodeID: ContinuousClock.Instant]

    public init(
        topology: ClusterTopology, publisher: Result<StatusSnapshot, CacheError>,
        nodes: [NodeID: Result<[StatusSnapshot], CacheError>],
        toldAt: [NodeID: ContinuousClock.Instant] = [:]
    ) {
        self.topology = topology
        self.publisher = publisher
        self.nodes = nodes
        self.toldAt = toldAt
    }
}

extension CacheClient {
    /// Asks the publisher and every node of a topology at once where they stand.
    ///
    /// Whoever does not answer is in the snapshot with the reason, so this throws nothing.
    ///
    /// - Parameter timeout: how long each is waited for; `nil`: as long as for any answer.
    public func snapshot(
        of topology: ClusterTopology, timeout: Duration? = nil
    ) async -> ClusterSnapshot {
        async let publisher = answer { () async throws(CacheError) in
            try await self.publisherStatus(timeout: timeout)
        }
        var nodes: [NodeID: Result<[StatusSnapshot], CacheError>] = [:]
        var toldAt: [NodeID: ContinuousClock.Instant] = [:]
        await withTaskGroup(of: (NodeID, Result<[StatusSnapshot], CacheError>).self) { group in
            for node in topology.nodes.map(\.id) {
                group.addTask {
                    let answer = await self.answer { () async throws(CacheError) in
                        try await self.status(of: node, timeout: timeout)
                    }
                    return (node, answer)
                }
            }
            for await (node, answer) in group {
                nodes[node] = answer
                toldAt[node] = .now
            }
        }
        return ClusterSnapshot(
            topology: topology, publisher: await publisher, nodes: nodes, toldAt: toldAt)
    }

    private func answer<Told: Sendable>(
        _ ask: sending () async throws(CacheError) -> Told
    ) async -> Result<Told, CacheError> {
        do throws(CacheError) {
            return .success(try await ask())
        } catch {
            return .failure(error)
        }
    }
}
