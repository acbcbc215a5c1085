package import CacheModel

/// A shard's wish to have scopes invalidated everywhere: a DELETE, or a SET where every node may
/// hold the key.
package struct ShardPublishRequest: Hashable, Sendable {
    package var shard: ShardIndex
    /// The shard's own name for the request, handed back with the answer.
    package var ticket: UInt64
    /// 1 to 1 000 of them.
    package var scopes: [Scope]
    /// Whether it puts a store in order, rather than to say that something has changed.
    package var ordersStore = false
    /// By which the publisher knows a repetition. Not ``OperationID/none``: it may be sent twice.
    package var operation: OperationID
    /// The entry of who asked the node for it; `nil`: nobody is asked who they are, or it is the
    /// node's own doing.
    package var issuer: Issuer?
    /// Which request of the outside it belongs to.
    package var trace: TraceContext?

    package init(shard: ShardIndex, ticket: UInt64, scopes: [Scope], operation: OperationID) {
        self.shard = shard
        self.ticket = ticket
        self.scopes = scopes
        self.operation = operation
    }
}
