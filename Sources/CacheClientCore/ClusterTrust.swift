package import CacheModel

/// Which cluster a client belongs to, and whose word on a topology it takes. docs/decisions/0089.
///
/// | who tells a topology | of its cluster, or one side knows none | of another |
/// |---|---|---|
/// | an endpoint that was named | taken | taken if nobody tells its own in this round |
/// | one that a topology names | taken | passed over |
/// | one that was kept from an earlier time | taken | passed over |
///
/// Until one is confirmed, the kept cluster counts as the client's for endpoints that were not
/// named.
///
/// What is taken of a kept endpoint is confirmed only where both sides know the same cluster.
/// Nothing is changed by a topology that is not confirmed.
package struct ClusterTrust: Sendable {
    /// How an endpoint came to be known.
    package enum Source: Hashable, Sendable {
        /// The user named it.
        case named
        /// A topology that was taken names it.
        case learned
        /// It was a node's once, and somebody has kept that.
        case kept
    }

    package enum Verdict: Hashable, Sendable {
        case take
        /// Only if no other endpoint tells the client's own.
        case takeAtLast
        case passOver
    }

    /// The cluster of the endpoints that were kept; none where that is not known.
    private let kept: ClusterID
    /// The client's, on the word of an endpoint that may say so; none while nobody has.
    package private(set) var cluster = ClusterID.none
    /// Whether what was taken last may be acted on.
    package private(set) var isConfirmed = false

    package init(kept: ClusterID = .none) { self.kept = kept }

    /// What to do with a topology of `told` from such an endpoint.
    package func verdict(on told: ClusterID, from source: Source) -> Verdict {
        switch source {
        case .named: told.contradicts(cluster) ? .takeAtLast : .take
        case .learned:
            told.contradicts(cluster) || !isConfirmed && told.contradicts(kept)
                ? .passOver : .take
        case .kept:
            told.contradicts(cluster) || told.contradicts(kept) ? .passOver : .take
        }
    }

    /// It was taken.
    package mutating func took(_ told: ClusterID, from source: Source) {
        switch source {
        case .named: isConfirmed = true
        case .learned: break
        case .kept: isConfirmed = told != .none && (told == kept || told == cluster)
        }
        if isConfirmed, told != .none { cluster = told }
    }
}
