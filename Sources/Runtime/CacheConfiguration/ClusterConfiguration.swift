package import CacheModel

/// The configuration of a cluster: one YAML file, checked as a whole, kept by the publisher and
/// served with the topology.
///
///     file ──parse──▶ ClusterConfiguration ──yamlText──▶ CONFIG REPORT, `martlet config show`
///       │                    │     ▲                          │
///       ▼                    ▼     └──────────parse───────────┘
///     FILE:LINE:COLUMN:    policy(for:), nodes, publisher
///     path: problem; remedy
///
/// The publisher parses at its start and on every reload, on a thread that may wait; a node parses
/// what it is served; the command line parses for `config check` and shares the texts for sizes and
/// durations. A file is taken whole or not at all: every problem is reported at once, and a wrong
/// reload leaves the old configuration in force.
///
/// It reads no file, watches nothing and opens nothing; the caller has the bytes. Reading is
/// bounded by the file's greatest size, and no text, however wrong, traps.
///
/// docs/configuration.md lists every key of the file.
package struct ClusterConfiguration: Hashable, Sendable {
    package var topology: TopologyKind
    /// Which nodes may belong to the cluster.
    package var membership = MembershipKind.listed
    /// Of the publisher, or what several share.
    package var publisher: PublisherSettings
    /// Several publishers, of which one leads at a time; empty if there is one.
    package var publishers: [PublisherMember] = []
    /// In the file's order, which breaks ties in routing.
    package var nodes: [NodeSettings]
    /// What holds in namespaces that are not listed.
    package var defaults: NamespacePolicy
    /// The listed ones, each complete: what the file leaves out there is taken from ``defaults``.
    package var namespaces: [Namespace: NamespacePolicy]
    /// What gateways run with; `nil`: nothing is said of them.
    package var gateway: GatewaySettings?

    package init(
        topology: TopologyKind, publisher: PublisherSettings, nodes: [NodeSettings],
        defaults: NamespacePolicy, namespaces: [Namespace: NamespacePolicy]
    ) {
        self.topology = topology
        self.publisher = publisher
        self.nodes = nodes
        self.defaults = defaults
        self.namespaces = namespaces
    }

    /// Why the log cannot assign keys to these nodes; `nil`: it can.
    package var slotsRefusal: String? {
        let count = nodes.reduce(0) { $0 + $1.shards }
        guard count > SlotTable.shardsMax else { return nil }
        return "all nodes together have \(count) shards, and topology: slots is for at most "
            + "\(SlotTable.shardsMax): give fewer, or topology: sharded"
    }

    /// Whether the weight of a node is stated.
    package var statesWeights: Bool { nodes.contains { $0.weight != nil } }

    /// The weight of one of the nodes in thousandths while slots are in force, whatever
    /// ``topology`` is by now: the stated one; if none is stated, 1 for each GiB of
    /// ``NodeSettings/memory``; otherwise 1.
    ///
    /// - Complexity: O(nodes).
    package func slotWeightThousandths(of node: NodeSettings) -> UInt32 {
        guard node.weight == nil, !statesWeights else { return node.weightThousandths }
        return JoinWeight.thousandths(ofMemory: node.memory)
    }

    /// What holds in `namespace`, listed or not.
    package func policy(for namespace: Namespace) -> NamespacePolicy {
        namespaces[namespace] ?? defaults
    }
}

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

/// Which nodes may belong to a cluster.
package enum MembershipKind: String, CaseIterable, Sendable {
    /// Those of the configuration.
    case listed
    /// These, and any that joins.
    case open
}

/// How keys are spread over the nodes of a cluster.
package enum TopologyKind: String, CaseIterable, Sendable {
    /// Every key has one owner: the shard with the best score of all shards of all nodes.
    case sharded
    /// Every key has one owner, which the log assigns: the keys of a node that dies get others.
    case slots
    /// Every node may hold every key; a client chooses a node, then a shard of it.
    case replicated
}
