import CacheModel

/// A reader's answer in a namespace with values that the node loads itself.
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
/// Pure: a table. docs/reading-through.md shows it together with the effects of the origin.
package struct ReadPlan: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        case answer
        case answerStale
        /// The origin is asked first.
        case load
        /// There is no answer, and the origin is not asked.
        case miss
        /// The node cannot vouch for any entry, and the namespace does not permit unverified ones.
        case behind
    }

    package var step: Step
    /// The value is refreshed in the background.
    package var refreshes: Bool
    /// The held entry is served, stale, if the origin does not answer, or not soon.
    package var fallsBack: Bool
    /// The held entry is the answer although the node has no lease, because the namespace permits
    /// it in place of a load.
    package var isTolerated = false
    /// The held entry would be fresh with a lease, and is revalidated at most once a second.
    package var isRevalidation = false

    init(_ step: Step, refreshes: Bool = false, fallsBack: Bool = false) {
        self.step = step
        self.refreshes = refreshes
        self.fallsBack = fallsBack
    }

    /// - Parameter held: `nil` if no entry could be served: absent, expired, or covered by a hard
    ///   invalidation.
    package static func of(_ held: HeldEntry?, for demand: ReadDemand) -> ReadPlan {
        guard let held else { return ReadPlan(demand.policy == .cacheOnly ? .miss : .load) }
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

    /// The entry would be fresh if the node knew all invalidations.
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
