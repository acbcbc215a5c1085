package import CacheLoading

/// A load requested by a shard.
package struct ShardLoad: Equatable, Sendable {
    /// Identifies its end.
    package var number: UInt64
    package var request: OriginRequest
    package var urgency: LoadUrgency
    /// Requirements on a peer to be asked instead; `nil`: the origin must be asked.
    package var peer: PeerTerms?

    package init(
        number: UInt64, request: OriginRequest, urgency: LoadUrgency, peer: PeerTerms? = nil
    ) {
        self.number = number
        self.request = request
        self.urgency = urgency
        self.peer = peer
    }
}
