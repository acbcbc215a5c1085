package import CacheLoading
package import CacheModel

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
