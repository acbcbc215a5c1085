import ByteCoding

/// The endpoints that a node reported for its shards, and the key that vouches for them.
struct NodePlaces: Equatable {
    /// One for each shard.
    var endpoints: [String]
    /// The key of the report; `nil` where access control is off.
    var key: PublicKey?
    /// Whether that key no longer speaks for the node. Clients are not sent there then: the holder
    /// of a stolen key must not go on answering under the node's name.
    var isWithdrawn = false
}
