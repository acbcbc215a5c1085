import CacheModel

extension ClusterConfiguration {
    /// What a cluster is without a file: nodes `n1`, `n2`, … on loopback.
    ///
    /// The publisher takes `port` and the one after it, the shards those that follow. The last of
    /// the cluster's ports stays free. If the shards do not fit in between, the nodes take any free
    /// ports.
    ///
    /// Traps unless there are 1 to 1 000 nodes of 1 to 64 shards and `port` is in
    /// 1 … ``ConfigurationLimits/standardPortMax``.
    package static func standard(
        nodeCount: Int, shardCount: Int, topology: TopologyKind,
        port: UInt16 = ConfigurationLimits.standardPort
    ) -> ClusterConfiguration {
        precondition(
            (1...ConfigurationLimits.nodesMax).contains(nodeCount), "a cluster has 1 to 1000 nodes")
        precondition(
            ConfigurationLimits.shards.contains(shardCount), "a node has 1 to 64 shards")
        precondition(
            (1...ConfigurationLimits.standardPortMax).contains(port),
            "all ports of a cluster must exist")
        let portsFit = nodeCount * shardCount <= ConfigurationLimits.standardPortsCount - 3
        let nodes = (0..<nodeCount).compactMap { index -> NodeSettings? in
            guard let id = NodeID("n\(index + 1)") else { return nil }
            var node = NodeSettings(id: id)
            node.shards = shardCount
            if portsFit { node.port = port + 2 + UInt16(index * shardCount) }
            return node
        }
        var publisher = PublisherSettings.standard
        publisher.endpoint = "tcp://127.0.0.1:\(port)"
        return ClusterConfiguration(
            topology: topology, publisher: publisher, nodes: nodes, defaults: .standard,
            namespaces: [:])
    }
}
