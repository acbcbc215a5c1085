public import CacheModel
import CacheClientCore
import CacheWire

/// The nodes and the publisher of a client's cluster: their state, and orders to them. For
/// operators and tools; ``CacheClient/cluster`` gives it.
public struct CacheCluster: Sendable {
    let client: CacheClient

    var loop: ClientLoop { client.loop }

    /// The nodes and shards of the cluster.
    ///
    /// - Parameter isRefreshed: whether to ask an endpoint again instead of returning the known
    ///   topology.
    /// - Throws: ``CacheError/Code/disconnected`` if no endpoint answered in time.
    public func topology(isRefreshed: Bool = false) async throws(CacheError) -> ClusterTopology {
        let deadline = try loop.deadline(nil)
        let known =
            isRefreshed
            ? try await loop.newerTopology(deadline: deadline)
            : try await loop.topology(deadline: deadline)
        return ClusterTopology(known)
    }

    /// The status of the publisher, with its view of each node. Of several publishers it is the one
    /// that leads.
    ///
    /// - Throws: ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func publisherStatus(
        timeout: Duration? = nil
    ) async throws(CacheError) -> StatusSnapshot {
        let deadline = try loop.deadline(timeout)
        // One that does not lead answers this question, too, and knows no nodes. It does not answer
        // for the topology.
        if loop.leader.isOneOfSeveral {
            _ = try await loop.ask(Self.question(.topology, at: .publisher, deadline: deadline))
        }
        return try await status(at: .publisher, deadline: deadline)
    }

    /// The topology as the publisher knows it now. Shards answer with an older one, with possibly
    /// outdated states of nodes. Every admitted client may ask.
    ///
    /// - Throws: ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    func publisherTopology(timeout: Duration) async throws(CacheError) -> TopologyReport {
        try await loop.ask(
            Self.question(.topology, at: .publisher, deadline: loop.deadline(timeout)),
            .topologyReport
        ) { message throws(WireRefusal) in try TopologyReport(decoding: message) }
    }

    /// The status of each shard of a node.
    ///
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func status(
        of node: NodeID, timeout: Duration? = nil
    ) async throws(CacheError) -> [StatusSnapshot] {
        let deadline = try loop.deadline(timeout)
        var snapshots: [StatusSnapshot] = []
        for address in try await shards(of: node, deadline: deadline) {
            snapshots.append(
                try await status(at: .endpoint(address.endpoint), deadline: deadline))
        }
        return snapshots
    }

    func status(
        at target: AdminRequest.Target, deadline: Instant
    ) async throws(CacheError) -> StatusSnapshot {
        StatusSnapshot(
            try await loop.ask(
                Self.question(.status, at: target, deadline: deadline), .statusReport
            ) { message throws(WireRefusal) in try StatusReport(decoding: message) })
    }

    /// Asks the publisher and every node of a topology for their status, all at the same time; of
    /// several publishers each.
    ///
    /// A node that does not answer is in the snapshot with its error, so this call throws nothing.
    ///
    /// - Parameter timeout: how long to wait for each answer; `nil` is the timeout of the client.
    public func snapshot(
        of topology: ClusterTopology, timeout: Duration? = nil
    ) async -> ClusterSnapshot {
        async let publisher = Result.awaiting { () async throws(CacheError) in
            try await publisherStatus(timeout: timeout)
        }
        async let publishers = self.publishers(of: topology, timeout: timeout)
        var nodes: [NodeID: Result<[StatusSnapshot], CacheError>] = [:]
        var toldAt: [NodeID: ContinuousClock.Instant] = [:]
        await withTaskGroup(of: (NodeID, Result<[StatusSnapshot], CacheError>).self) { group in
            for node in topology.nodes.map(\.id) {
                group.addTask {
                    let answer = await Result.awaiting { () async throws(CacheError) in
                        try await status(of: node, timeout: timeout)
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
            topology: topology, publisher: await publisher, nodes: nodes, toldAt: toldAt,
            publishers: await publishers)
    }

    /// The cluster's configuration.
    ///
    /// - Throws: ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func servedConfiguration(
        timeout: Duration? = nil
    ) async throws(CacheError) -> ServedConfiguration {
        let report = try await loop.ask(
            Self.question(.config, at: .publisher, deadline: loop.deadline(timeout)), .configReport
        ) { message throws(WireRefusal) in try ConfigReport(decoding: message.body) }
        return ServedConfiguration(revision: report.revision, text: report.text)
    }

    static func question(
        _ type: MessageType, at target: AdminRequest.Target, deadline: Instant
    ) -> AdminRequest {
        AdminRequest(target, .init(.read, deadline: deadline)) { writer in
            MessageWriter(type, requestID: 0, into: &writer).finish(&writer, count: 0)
        }
    }

    /// The shards of one node, or of all nodes if `node` is `nil`. A shard without a known endpoint
    /// is an error: an answer without it would look complete.
    func shards(
        of node: NodeID?, deadline: Instant
    ) async throws(CacheError) -> [ShardAddress] {
        let topology = try await topology(naming: node, deadline: deadline)
        let shards = topology.shards.filter { node == nil || $0.node == node }
        for shard in shards where shard.endpoint.isEmpty {
            throw CacheError.unreachable("shard \(shard.shard) of node \(shard.node)")
        }
        return shards
    }

    /// The topology. If `node` is not `nil`, the topology must contain it.
    func topology(
        naming node: NodeID?, deadline: Instant
    ) async throws(CacheError) -> Topology {
        var topology = try await loop.topology(deadline: deadline)
        if !topology.isWhole { topology = try await loop.newerTopology(deadline: deadline) }
        if let node, topology.index(of: node) == nil {
            let names = topology.nodes.map(\.id.name).joined(separator: ", ")
            throw CacheError(.invalidArgument, "the cluster has no node \(node); it has \(names)")
        }
        return topology
    }
}

extension Result {
    /// What `body` returns or throws. `Result.init(catching:)` takes no function that suspends.
    static func awaiting(_ body: () async throws(Failure) -> Success) async -> Self {
        do throws(Failure) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    /// `nil` for a failure.
    var value: Success? { if case .success(let value) = self { value } else { nil } }
}

extension ClusterTopology {
    init(_ topology: Topology) {
        self.init(
            version: topology.version,
            kind: topology.kind == .sharded ? .sharded : .replicated,
            controlEndpoint: topology.controlEndpoint, liveEndpoint: topology.liveEndpoint,
            nodes: topology.nodes.map { node in
                Node(
                    id: node.id, state: node.state,
                    weight: Double(node.weightThousandths) / 1_000,
                    endpoints: topology.shards[node.shardNumbers].map(\.endpoint))
            }, cluster: topology.cluster)
    }
}

extension StatusSnapshot {
    fileprivate init(_ report: StatusReport) {
        var figures: [String: UInt64] = [:]
        for figure in report.figures { figures[figure.name] = figure.value }
        self.init(
            role: report.role == .publisher ? .publisher : .shard, state: report.state,
            name: report.name, position: report.mark.position, digest: report.mark.digest,
            figures: figures,
            nodes: report.nodes.map { line in
                NodeLine(
                    node: line.node, state: line.state, applied: line.applied,
                    incarnation: line.incarnation,
                    grantLeft: line.grantLeftMilliseconds == 0
                        ? nil : .milliseconds(Int64(line.grantLeftMilliseconds)))
            })
    }
}
