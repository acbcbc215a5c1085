public import CacheModel

/// The publisher and every node of a cluster at about one moment.
public struct ClusterSnapshot: Sendable {
    /// The nodes and shards of the cluster; the other properties refer to it.
    public var topology: ClusterTopology
    /// The status of the publisher, or the error of asking for it.
    public var publisher: Result<StatusSnapshot, CacheError>
    /// The status of each node's shards, or the error of asking for it.
    public var nodes: [NodeID: Result<[StatusSnapshot], CacheError>]
    /// When each node's answer came, or the wait for it ended.
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
    /// Asks the publisher and every node of a topology for their status, all at the same time.
    ///
    /// A node that does not answer is in the snapshot with its error, so this call throws nothing.
    ///
    /// - Parameter timeout: how long to wait for each answer; `nil` is the timeout of the client.
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
