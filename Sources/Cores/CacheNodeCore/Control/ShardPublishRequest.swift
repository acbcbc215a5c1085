package import CacheModel

/// A shard's request to invalidate scopes on all nodes: a DELETE, or a SET if every node may hold
/// the key.
package struct ShardPublishRequest: Hashable, Sendable {
    package var shard: ShardIndex
    /// The shard's own id of the request, returned with the answer.
    package var ticket: UInt64
    /// 1 to 1 000 of them.
    package var scopes: [Scope]
    /// Whether it orders a store, rather than reporting a change.
    package var ordersStore = false
    /// By which the publisher detects a repetition. Not ``OperationID/none``: it may be sent twice.
    package var operation: OperationID
    /// The access entry of the client that made the request; `nil`: clients are not identified, or
    /// the node acts on its own.
    package var issuer: Issuer?
    /// The external request that it belongs to.
    package var trace: TraceContext?

    package init(shard: ShardIndex, ticket: UInt64, scopes: [Scope], operation: OperationID) {
        self.shard = shard
        self.ticket = ticket
        self.scopes = scopes
        self.operation = operation
    }
}
