import ByteCoding

/// The endpoints that a node reported for its shards, and the key with which it reported them.
struct NodePlaces: Equatable {
    /// One for each shard.
    var endpoints: [String]
    /// The key of the report; `nil` if access control is off.
    var key: PublicKey?
    /// Whether that key is no longer valid for the node. Clients are not sent to these endpoints
    /// then: the holder of a stolen key must not continue to answer under the node's name.
    var isWithdrawn = false
}
