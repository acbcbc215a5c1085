package import CacheLoading

/// A load that a shard wants made.
package struct ShardLoad: Equatable, Sendable {
    /// By which its end is told.
    package var number: UInt64
    package var request: OriginRequest
    package var urgency: LoadUrgency
    /// Whether another node may be asked instead, the key's owner.
    package var mayAskPeer: Bool

    package init(
        number: UInt64, request: OriginRequest, urgency: LoadUrgency, mayAskPeer: Bool
    ) {
        self.number = number
        self.request = request
        self.urgency = urgency
        self.mayAskPeer = mayAskPeer
    }
}
