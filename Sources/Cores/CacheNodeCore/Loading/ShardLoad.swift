package import CacheLoading
package import CacheModel

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

/// Requirements on a peer that is asked instead of the origin, and on its answer.
package struct PeerTerms: Equatable, Sendable {
    /// The position applied here when the load began: the peer must have applied it.
    package var atLeast: LogPosition
    package var freshness: LoadFreshness

    package init(atLeast: LogPosition, freshness: LoadFreshness) {
        self.atLeast = atLeast
        self.freshness = freshness
    }
}
