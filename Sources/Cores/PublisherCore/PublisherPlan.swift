import CacheInvalidation
package import CacheModel
package import CacheWire

/// The parts of the cluster's configuration, and of its own endpoints, that the publisher's core
/// needs.
package struct PublisherPlan: Hashable, Sendable {
    /// One node that may introduce itself.
    package struct Node: Hashable, Sendable {
        package var id: NodeID
        package var shards: Int
        package var weightThousandths: UInt32
        /// While slots are in force.
        package var slotWeightThousandths: UInt32

        /// - Parameter slotWeightThousandths: `nil`: the same.
        package init(
            id: NodeID, shards: Int, weightThousandths: UInt32 = 1_000,
            slotWeightThousandths: UInt32? = nil
        ) {
            self.id = id
            self.shards = shards
            self.weightThousandths = weightThousandths
            self.slotWeightThousandths = slotWeightThousandths ?? weightThousandths
        }
    }

    /// Those of the configuration, in its order, which breaks ties in routing; then those that
    /// joined.
    package var nodes: [Node]
    /// The nodes that no configuration lists.
    var joined: Set<NodeID> = []
    /// How nodes that may join said their weights to this publisher, listed or not.
    var joinWeights: [NodeID: JoinWeight] = [:]
    /// Whether nodes may join that are not listed, once slots are in force.
    package var isOpen = false
    /// Whether the configuration states the weight of a node.
    package var areWeightsStated = false
    package var kind: TopologyReport.Kind = .sharded
    /// How long a node may call its entries fresh after it last heard from the publisher.
    package var lease: Duration = .seconds(3)
    /// The longest lease that nodes accept: assumed for an earlier publisher of which nothing is
    /// known.
    package var leaseMax = InvalidationLimits.leaseMax
    /// Longest silence on the live channel.
    package var heartbeat: Duration = .milliseconds(500)
    /// How long after an invalidation a read of the namespace's database may still return the old
    /// value; and for namespaces that are not listed.
    package var replicaLags: [Namespace: Duration] = [:]
    package var replicaLagDefault: Duration = .zero
    /// The configuration as it is sent: YAML, and its revision.
    package var configuration = ConfigReport(revision: 0, text: "")
    /// The endpoints that nodes and clients connect to.
    package var controlEndpoint = ""
    package var liveEndpoint = ""
    /// Whether other publishers can lead the log.
    package var hasSeveralPublishers = false
    /// Whether slots are to give the keys of a sharded cluster to its shards.
    package var beginsSlots = false
    /// How long a node has no lease before its slots go to others.
    package var failoverAfter: Duration = .seconds(10)
    package var guards = Guards.all

    package init(nodes: [Node]) {
        self.nodes = nodes
    }

    package func node(_ id: NodeID) -> Node? {
        nodes.first { $0.id == id }
    }

    /// How long the first owners of slots wait for nodes that are not there.
    var firstOwnersAfter: Duration { min(failoverAfter, PublisherLimits.firstOwnersAfterMax) }

    var hasReplicaLag: Bool { replicaLagMax > .zero }

    var replicaLagMax: Duration {
        replicaLags.values.reduce(replicaLagDefault) { max($0, $1) }
    }

    func replicaLag(of namespace: Namespace) -> Duration {
        replicaLags[namespace] ?? replicaLagDefault
    }

    /// A majority of the registered nodes; 0 if none is registered.
    var quorum: Int { nodes.isEmpty ? 0 : nodes.count / 2 + 1 }
}
