import CacheModel

/// Clients that prefetch keys, in some of the seeds with an origin.
///
/// All random choices here use a separate generator, so that a seed without prefetching has the
/// same course as a simulation without this feature.
extension World {
    /// How many of a thousand seeds with an origin have prefetching.
    private static let prefetchingPerMille = 400

    /// Chosen so that no named seed has prefetching, and no seed that is known to detect a missing
    /// guard.
    private static let prefetchSalt: UInt64 = 2_636

    static func prefetchDice(of seed: UInt64) -> Dice {
        Dice(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ prefetchSalt)
    }

    func planPrefetching() {
        guard let origin = settings.origin,
            prefetchDice.chance(perMille: Self.prefetchingPerMille)
        else { return }
        tally.prefetchSeeds += 1
        planPrefetch(origin)
    }

    private func planPrefetch(_ origin: OriginSettings) {
        let pause = prefetchDice.number(in: 0...4 * origin.readEveryMicroseconds)
        queue.add(.clientPrefetches, at: now + .microseconds(pause))
    }

    func clientPrefetches() {
        guard examined == nil, let origin = settings.origin else { return }
        planPrefetch(origin)
        let item = prefetchDice.below(Catalog.items.count)
        guard settings.isLoaded(item), let place = somewhere(for: item) else { return }
        var request = Request(purpose: .prefetch, place: place, items: [item])
        if prefetchDice.chance(perMille: 400) { request.items = neighbours(of: item) }
        if prefetchDice.chance(perMille: 200) {
            request.maxAgeMilliseconds = prefetchDice.pick([0, 50, 300])
        }
        request.deadlineMilliseconds = prefetchDice.pick([400, 60, 1_500])
        get(request)
    }
}
