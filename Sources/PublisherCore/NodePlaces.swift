import ByteCoding

/// Where a node has said that its shards are, and who said so.
struct NodePlaces: Equatable {
    /// One for each shard.
    var endpoints: [String]
    /// With whose key it was said; `nil` where nobody is asked who they are.
    var key: PublicKey?
    /// Whether that key does not speak for the node any more. Nobody is sent there then: who has a
    /// stolen key must not go on answering under the node's name.
    var isWithdrawn = false
}
