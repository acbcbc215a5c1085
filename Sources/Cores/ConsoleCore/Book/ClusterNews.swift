package import CacheModel

/// Events about a cluster that a shell receives, in order.
package enum ClusterNews: Hashable, Sendable {
    case topology(TopologySighting)
    /// No endpoint returns the topology.
    case trouble(String)
    case publisher(PublisherSighting)
    case noPublisher(Absence)
    case node(NodeID, NodeSighting)
    case noNode(NodeID, Absence)
    case stream(StreamEvent)
}
