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
    package var isFreshDemanded = false
    /// The urgency at the other node that asks; `nil`: a client asks.
    package var peerUrgency: LoadUrgency?
    /// The policy while the node has no lease; `nil` while it has one.
    package var suspect: NamespacePolicy.Suspect?
    /// Whether an entry that the node cannot vouch for is served, in a namespace with
    /// `serve-then-revalidate`: within its window, or because the origin was asked just now.
    package var toleratesUnvouched = false
    /// The namespace's window after a soft invalidation.
    package var softWindow: Duration

    package init(
        _ policy: ReadPolicy, softWindow: Duration = .zero,
        suspect: NamespacePolicy.Suspect? = nil
    ) {
        self.policy = policy
        self.softWindow = softWindow
        self.suspect = suspect
    }
}

/// Which stale values a reader may receive.
extension ReadDemand {
    /// Whether an entry of that age is new enough.
    func accepts(_ age: Duration) -> Bool { ageMax.map { age <= $0 } ?? true }

    /// Whether the reader itself accepts an entry as stale as this.
    ///
    /// An entry that is only too old for ``ageMax`` counts as stale by the difference.
    func welcomes(_ held: HeldEntry) -> Bool {
        guard !isFreshDemanded, let staleMax else { return false }
        switch held.standing {
        case .fresh: return held.age - (ageMax ?? held.age) <= staleMax
        case .past(let duration): return duration <= staleMax
        case .soft(let duration): return duration < softWindow && duration <= staleMax
        }
    }

    /// Whether it is served at once and refreshed in the background.
    func takesStaleAtOnce(_ held: HeldEntry) -> Bool {
        if welcomes(held) { return true }
        guard !isFreshDemanded, accepts(held.age) else { return false }
        let isPolicy = policy == .staleWhileRevalidate
        switch held.standing {
        case .fresh: return false
        case .past(let duration):
            return duration
                < (isPolicy ? held.terms.longestWindow : held.terms.staleWhileRevalidate)
        case .soft(let duration):
            return duration < softWindow && (isPolicy || held.terms.staleWhileRevalidate > .zero)
        }
    }

    /// Whether it is served if the origin fails.
    func fallsBack(on held: HeldEntry) -> Bool {
        if welcomes(held) { return true }
        guard !isFreshDemanded, accepts(held.age), policy != .networkOnly else { return false }
        switch held.standing {
        case .fresh: return false
        case .past(let duration): return duration < held.terms.longestWindow
        case .soft(let duration): return duration < softWindow
        }
    }

    /// The same for an entry that would be fresh if the node had a lease.
    func fallsBackUnvouched(on held: HeldEntry) -> Bool {
        guard !isFreshDemanded, policy != .networkOnly else { return false }
        return staleMax != nil || held.terms.staleIfError > .zero
            || suspect == .serveThenRevalidate
    }
}

/// The entry that a shard holds for a key and could serve, as far as it affects a reader's answer.
package struct HeldEntry: Equatable, Sendable {
    package enum Standing: Equatable, Sendable {
        case fresh
        /// Past its lifetime, for this long.
        case past(Duration)
        /// Softly invalidated, this long ago.
        case soft(Duration)
    }

    package var standing: Standing
    /// Time since it was stored or last validated.
    package var age: Duration
    /// Its own windows; none unless a node loaded it.
    package var terms: LoadTerms

    package init(_ standing: Standing, age: Duration, terms: LoadTerms = LoadTerms()) {
        self.standing = standing
        self.age = age
        self.terms = terms
    }
}
