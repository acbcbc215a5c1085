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
    package var publisher: PublisherSettings
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

    /// What holds in `namespace`, listed or not.
    package func policy(for namespace: Namespace) -> NamespacePolicy {
        namespaces[namespace] ?? defaults
    }
}
