package import CacheModel

/// What a shell hears of a cluster, in the order in which it hears it.
package enum ClusterNews: Hashable, Sendable {
    case topology(TopologySighting)
    /// Nobody tells who is where.
    case trouble(String)
    case publisher(PublisherSighting)
    case noPublisher(Absence)
    case node(NodeID, NodeSighting)
    case noNode(NodeID, Absence)
    case stream(StreamEvent)
}
