package import CacheModel

/// What a reader wants, and what the node can vouch for, at the moment of asking.
package struct ReadDemand: Equatable, Sendable {
    package var policy: ReadPolicy
    /// Older is not fresh enough; `nil` for any age.
    package var ageMax: Duration?
    /// Past its lifetime by no more is welcome, whatever the windows say; `nil`: nothing is.
    package var staleMax: Duration?
    /// Only what is proven fresh will do.
    package var isFreshDemanded: Bool
    /// It is another node that asks, and how urgent that is there; `nil`: a client.
    package var peerUrgency: LoadUrgency?
    /// What holds while the node has no lease; `nil` while it has one.
    package var suspect: NamespacePolicy.Suspect?
    /// Whether what the node cannot vouch for answers, in a namespace that says
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
