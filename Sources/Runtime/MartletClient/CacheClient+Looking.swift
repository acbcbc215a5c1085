public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire

extension CacheClient {
    /// The nodes and shards of the cluster.
    ///
    /// - Parameter isRefreshed: whether to ask an endpoint again instead of returning the known
    ///   topology.
    /// - Throws: ``CacheError/Code/disconnected`` if no endpoint answered in time.
    public func topology(isRefreshed: Bool = false) async throws(CacheError) -> ClusterTopology {
        let deadline = try self.deadline(nil)
        let known =
            isRefreshed
            ? try await loop.newerTopology(deadline: deadline)
            : try await loop.topology(deadline: deadline)
        return ClusterTopology(known)
    }

    /// The known topology, without asking an endpoint; `nil` while there is none.
    package var knownTopology: ClusterTopology? { loop.latestTopology.map { ClusterTopology($0) } }

    /// The status of the publisher, with its view of each node.
    ///
    /// - Throws: ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func publisherStatus(
        timeout: Duration? = nil
    ) async throws(CacheError) -> StatusSnapshot {
        try await status(at: .publisher, deadline: deadline(timeout))
    }

    /// The topology as the publisher knows it now. Shards answer with an older one, with possibly
    /// outdated states of nodes. Every admitted client may ask.
    ///
    /// - Throws: ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    func publisherTopology(timeout: Duration) async throws(CacheError) -> TopologyReport {
        let frame = try await ask(.topology, at: .publisher, deadline: deadline(timeout))
        return try Self.decode(frame, .topologyReport) { message throws(WireRefusal) in
            try TopologyReport(decoding: message)
        }
    }

    /// The status of each shard of a node.
    ///
    /// - Throws: ``CacheError/Code/invalidArgument`` if there is no such node,
    ///   ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func status(
        of node: NodeID, timeout: Duration? = nil
    ) async throws(CacheError) -> [StatusSnapshot] {
        let deadline = try self.deadline(timeout)
        var snapshots: [StatusSnapshot] = []
        for address in try await shards(of: node, deadline: deadline) {
            snapshots.append(
                try await status(at: .endpoint(address.endpoint), deadline: deadline))
        }
        return snapshots
    }

    private func status(
        at target: AdminRequest.Target, deadline: Instant
    ) async throws(CacheError) -> StatusSnapshot {
        let frame = try await ask(.status, at: target, deadline: deadline)
        return StatusSnapshot(
            try Self.decode(frame, .statusReport) { message throws(WireRefusal) in
                try StatusReport(decoding: message)
            })
    }

    /// The cluster's configuration.
    ///
    /// - Throws: ``CacheError/Code/disconnected`` or ``CacheError/Code/timedOut``.
    public func servedConfiguration(
        timeout: Duration? = nil
    ) async throws(CacheError) -> ServedConfiguration {
        let frame = try await ask(.config, at: .publisher, deadline: deadline(timeout))
        let report = try Self.decode(frame, .configReport) { message throws(WireRefusal) in
            try ConfigReport(decoding: message.body)
        }
        return ServedConfiguration(revision: report.revision, text: report.text)
    }

    /// Asks a question with an empty body.
    private func ask(
        _ type: MessageType, at target: AdminRequest.Target, deadline: Instant
    ) async throws(CacheError) -> [UInt8] {
        var writer = ByteWriter(capacityBytes: 64)
        MessageWriter(type, requestID: 0, into: &writer).finish(&writer, count: 0)
        return try await loop.ask(
            AdminRequest(
                target, message: writer.array,
                schedule: RetrySchedule(.read, deadline: deadline, seed: 0)))
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

extension ClusterTopology {
    fileprivate init(_ topology: Topology) {
        self.init(
            version: topology.version,
            kind: topology.kind == .sharded ? .sharded : .replicated,
            controlEndpoint: topology.controlEndpoint, liveEndpoint: topology.liveEndpoint,
            nodes: topology.nodes.map { node in
                Node(
                    id: node.id, state: node.state,
                    weight: Double(node.weightThousandths) / 1_000,
                    endpoints: topology.shards[node.slots].map(\.endpoint))
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
