package import CacheModel

/// A reader's requirements, and what the node can guarantee, at the moment of the request.
package struct ReadDemand: Equatable, Sendable {
    package var policy: ReadPolicy
    /// An older entry is not fresh enough; `nil` for any age.
    package var ageMax: Duration?
    /// How far past its lifetime an entry is accepted, regardless of the windows; `nil`: not at
    /// all.
    package var staleMax: Duration?
    /// Only a value that is proven fresh is accepted.
    package var isFreshDemanded: Bool
    /// The urgency at the other node that asks; `nil`: a client asks.
    package var peerUrgency: LoadUrgency?
    /// The policy while the node has no lease; `nil` while it has one.
    package var suspect: NamespacePolicy.Suspect?
    /// Whether an entry that the node cannot vouch for is served, in a namespace with
    /// `serve-then-revalidate`: within its window, or because the origin was asked just now.
    package var toleratesUnvouched: Bool
    /// The namespace's window after a soft invalidation.
    package var softWindow: Duration

    package init(
        _ policy: ReadPolicy, softWindow: Duration = .zero,
        suspect: NamespacePolicy.Suspect? = nil
    ) {
        self.policy = policy
        self.softWindow = softWindow
        self.suspect = suspect
        ageMax = nil
        staleMax = nil
        isFreshDemanded = false
        toleratesUnvouched = false
    }
}
