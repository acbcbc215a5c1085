package import CacheLoading

/// A load that a shard wants made.
package struct ShardLoad: Equatable, Sendable {
    /// By which its end is told.
    package var number: UInt64
    package var request: OriginRequest
    package var urgency: LoadUrgency
    /// What another node must know and give to be asked instead; `nil`: the origin is to be asked.
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
