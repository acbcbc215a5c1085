package import CacheConfiguration
import CacheModel
import CacheWire
package import PublisherCore
import ZeroMQ

extension PublisherPlan {
    /// What a cluster's configuration says of its nodes and times, and its text as it is served.
    package init(_ configuration: ClusterConfiguration) {
        self.init(
            nodes: configuration.nodes.map {
                Node(id: $0.id, shards: $0.shards, weightThousandths: $0.weightThousandths)
            })
        kind = configuration.topology == .replicated ? .replicated : .sharded
        lease = configuration.publisher.lease
        heartbeat = configuration.publisher.heartbeat
        replicaLags = configuration.namespaces.mapValues(\.replicaLag)
        replicaLagDefault = configuration.defaults.replicaLag
        self.configuration = ConfigReport(
            revision: configuration.revision, text: configuration.servedText())
    }

    /// The same plan with the endpoints that clients and nodes are told.
    func listening(at endpoints: PublisherEndpoints) -> PublisherPlan {
        var plan = self
        plan.controlEndpoint = endpoints.control.description
        plan.liveEndpoint = endpoints.live.description
        return plan
    }
}
