package import CacheModel

/// Which cluster a client belongs to, and which topologies it accepts. docs/decisions/0089.
///
/// | source of a topology | of the client's cluster, or one side knows none | of another one |
/// |---|---|---|
/// | an endpoint that the user named | accepted | accepted if the round brings none of its own |
/// | an endpoint that a topology names | accepted | ignored |
/// | an endpoint kept from an earlier time | accepted | ignored |
///
/// Until a topology is confirmed, the kept cluster counts as the client's cluster for endpoints
/// that the user did not name.
///
/// A topology of a kept endpoint is confirmed only if both sides know the same cluster. The client
/// sends no changes on an unconfirmed topology.
package struct ClusterTrust: Sendable {
    package enum Source: Hashable, Sendable {
        case named
        case learned
        /// It was the endpoint of a node at an earlier time, and the user kept it.
        case kept
    }

    package enum Verdict: Hashable, Sendable {
        case take
        /// Accept only if no other endpoint returns a topology of the client's own cluster.
        case takeAtLast
        case passOver
    }

    /// The cluster of the kept endpoints; none if unknown.
    private let kept: ClusterID
    /// The client's cluster, from a confirmed topology; none before there is one.
    package private(set) var cluster = ClusterID.none
    /// Whether changes may be sent on the topology that was accepted last.
    package private(set) var isConfirmed = false

    package init(kept: ClusterID = .none) { self.kept = kept }

    /// Decides what to do with a topology of cluster `told` from such an endpoint.
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

    package mutating func took(_ told: ClusterID, from source: Source) {
        switch source {
        case .named: isConfirmed = true
        case .learned: break
        case .kept: isConfirmed = told != .none && (told == kept || told == cluster)
        }
        if isConfirmed, told != .none { cluster = told }
    }
}
