package import CacheLoading
package import CacheModel

/// What a peer that is asked instead of the origin must know, and what it must give.
package struct PeerTerms: Equatable, Sendable {
    /// What was applied here when the load began: a peer must have applied as much.
    package var atLeast: LogPosition
    package var freshness: LoadFreshness

    package init(atLeast: LogPosition, freshness: LoadFreshness) {
        self.atLeast = atLeast
        self.freshness = freshness
    }
}
