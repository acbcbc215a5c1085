/// How keys are spread over the nodes of a cluster.
package enum TopologyKind: String, CaseIterable, Sendable {
    /// Every key has one owner: the shard with the best score of all shards of all nodes.
    case sharded
    /// Every node may hold every key; a client chooses a node, then a shard of it.
    case replicated
}
