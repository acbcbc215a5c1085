import CacheModel

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
