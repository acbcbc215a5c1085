import CacheModel

/// What a reader gets in a namespace whose values the node loads by itself.
///
///     policy                  fresh          past its lifetime or soft            nothing held
///     cache-first             answer         in its window: stale, and refresh    load
///                                            else: load, stale if that fails
///     cache-only              answer         miss                                 miss
///     network-first           load, the      load, stale if that fails            load
///                             held if that
///                             fails
///     network-only            load           load                                 load
///     stale-while-revalidate  answer         in any window: stale, and refresh    load
///                                            else: load
///
/// Pure: a table, and docs/reading-through.md shows it with what the origin does to it.
package struct ReadPlan: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        /// What is held is the answer, and fresh.
        case answer
        /// What is held is the answer, and not fresh.
        case answerStale
        /// The origin is asked first.
        case load
        /// There is nothing to say, and nobody is asked.
        case miss
        /// The node cannot vouch for anything, and its namespace does not want guesses.
        case behind
    }

    package var step: Step
    /// The value is loaded anew behind the answer.
    package var refreshes: Bool
    /// What is held answers, stale, if the origin does not, or not soon.
    package var fallsBack: Bool
    /// The held value is the answer although the node has no lease, because the namespace lets it
    /// stand in place of a load.
    package var isTolerated = false
    /// The held value would be fresh with a lease, and is revalidated at most once a second.
    package var isRevalidation = false

    init(_ step: Step, refreshes: Bool = false, fallsBack: Bool = false) {
        self.step = step
        self.refreshes = refreshes
        self.fallsBack = fallsBack
    }

    /// - Parameter held: `nil` if nothing is there that could be shown: absent, expired, or covered
    ///   by a hard invalidation.
    package static func of(_ held: HeldEntry?, for demand: ReadDemand) -> ReadPlan {
        guard let held else { return ofNothing(demand) }
        let isFresh = held.standing == .fresh && demand.accepts(held.age)
        if let suspect = demand.suspect, isFresh { return unvouched(held, suspect, demand) }
        switch demand.policy {
        case .networkOnly: return ReadPlan(.load)
        case .networkFirst:
            return ReadPlan(
                .load, fallsBack: isFresh && !demand.isFreshDemanded || demand.fallsBack(on: held))
        case .cacheOnly:
            if isFresh { return ReadPlan(.answer) }
            return ReadPlan(demand.welcomes(held) ? .answerStale : .miss)
        case .cacheFirst, .staleWhileRevalidate:
            if isFresh { return ReadPlan(.answer) }
            if demand.takesStaleAtOnce(held) { return ReadPlan(.answerStale, refreshes: true) }
            return ReadPlan(.load, fallsBack: demand.fallsBack(on: held))
        }
    }

    private static func ofNothing(_ demand: ReadDemand) -> ReadPlan {
        ReadPlan(demand.policy == .cacheOnly ? .miss : .load)
    }

    /// It would be fresh, if only the node knew what it has missed.
    private static func unvouched(
        _ held: HeldEntry, _ suspect: NamespacePolicy.Suspect, _ demand: ReadDemand
    ) -> ReadPlan {
        switch demand.policy {
        case .networkOnly: return ReadPlan(.load)
        case .networkFirst: return ReadPlan(.load, fallsBack: demand.fallsBackUnvouched(on: held))
        case .cacheOnly, .cacheFirst, .staleWhileRevalidate: break
        }
        if demand.isFreshDemanded { return ReadPlan(.behind) }
        if demand.staleMax != nil || suspect == .serve { return ReadPlan(.answerStale) }
        if suspect == .refuse { return ReadPlan(.behind) }
        let isPaced = suspect == .serveThenRevalidate
        var plan: ReadPlan
        if isPaced, demand.toleratesUnvouched {
            plan = ReadPlan(.answerStale)
            plan.isTolerated = true
        } else if demand.policy == .cacheOnly {
            plan = ReadPlan(.miss)
            plan.isRevalidation = isPaced
        } else {
            plan = ReadPlan(.load, fallsBack: demand.fallsBackUnvouched(on: held))
            plan.isRevalidation = isPaced
        }
        return plan
    }
}
