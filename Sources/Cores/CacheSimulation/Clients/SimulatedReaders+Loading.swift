import CacheModel

/// Loads by clients, reads that nodes load for, and prefetches.
extension SimulatedReaders {
    // MARK: Loads by clients

    /// A miss gave a token: the database is read soon, and answers after a random time.
    func beginLoad(
        _ item: Int, _ token: FillToken, _ renewable: Renewable?, _ answer: Answer
    ) {
        var fill = Fill(number: origin.fills.count, item: item, claim: .fenced)
        fill.paddingBytes = settings.tiers?.paddingBytes ?? 0
        fill.token = token
        fill.tokenPlace = answer.place
        fill.tokenStep = answer.step
        // Not every client supports revalidation.
        if renewable != nil, dice.chance(perMille: 800) { fill.renewable = renewable }
        if renewable != nil, dice.chance(perMille: 100) { fill.renewable = keptElsewhere(item) }
        origin.fills.append(fill)
        plan(.originIsRead(fill: fill.number), within: 10...5_000)
    }

    /// A value that a client may revalidate itself: it has its own copy.
    private func keptElsewhere(_ item: Int) -> Renewable? {
        let kept = origin.fills.last { $0.item == item && $0.hasValidator && !$0.isUnchanged }
        return kept.map { Renewable(validator: $0.validator) }
    }

    /// Stores or renews the result of a load, mostly at the shard that gave the token.
    func originAnswers(_ number: Int) {
        let fill = origin.fills[number]
        guard var place = fill.tokenPlace else { return }
        let isAstray = !isExamined && dice.chance(perMille: 50)
        let node = isAstray ? dice.below(settings.nodeCount) : nodes.runs[place.run].node
        if nodes.runs[place.run].isDead || node != nodes.runs[place.run].node {
            place.run = nodes.newestRun[node]
        }
        guard !nodes.runs[place.run].isDead else { return }
        let request = Request(
            purpose: fill.isUnchanged ? .renewal(number) : .fill(number), place: place,
            items: [fill.item])
        set(request)
        if dice.chance(perMille: 30) { set(request) }
    }

    // MARK: Loads by nodes

    /// Reads a key once, or a few times at once, with some policy.
    func readThrough(_ request: Request) {
        var request = request
        // A hot key.
        if dice.chance(perMille: 300) {
            request.items = [configuration.firstItem(of: request.place) ?? request.items[0]]
        }
        guard settings.isLoaded(request.items[0]) else { return get(request) }
        if dice.chance(perMille: 150) { request.items = neighbours(of: request.items[0]) }
        if dice.chance(perMille: 400) { request.readPolicy = dice.pick(ReadPolicy.allCases) }
        if dice.chance(perMille: 100) { request.maxAgeMilliseconds = dice.pick([0, 50, 300]) }
        if dice.chance(perMille: 100) { request.maxStaleMilliseconds = dice.pick([0, 100, 1_000]) }
        request.allowsStale = dice.chance(perMille: 80)
        request.isStrong = dice.chance(perMille: 80)
        request.deadlineMilliseconds = dice.pick([400, 400, 60, 1_500])
        let count = dice.chance(perMille: 250) ? dice.number(in: 2...4) : 1
        for _ in 0..<count { get(request) }
    }

    // MARK: Prefetches, in some of the seeds with an origin

    /// How many of a thousand seeds with an origin have prefetching.
    private static let prefetchingPerMille = 400

    func planPrefetching() {
        guard let origin = settings.origin,
            timeline.separate.prefetching.chance(perMille: Self.prefetchingPerMille)
        else { return }
        count(.prefetchSeeds)
        planPrefetch(origin)
    }

    private func planPrefetch(_ origin: OriginSettings) {
        let pause = timeline.separate.prefetching.number(in: 0...4 * origin.readEveryMicroseconds)
        timeline.add(.clientPrefetches, at: now + .microseconds(pause))
    }

    func clientPrefetches() {
        guard !isExamined, let origin = settings.origin else { return }
        planPrefetch(origin)
        let item = timeline.separate.prefetching.below(Catalog.items.count)
        guard settings.isLoaded(item), let place = somewhere(for: item) else { return }
        var request = Request(purpose: .prefetch, place: place, items: [item])
        if timeline.separate.prefetching.chance(perMille: 400) {
            request.items = neighbours(of: item)
        }
        if timeline.separate.prefetching.chance(perMille: 200) {
            request.maxAgeMilliseconds = timeline.separate.prefetching.pick([0, 50, 300])
        }
        request.deadlineMilliseconds = timeline.separate.prefetching.pick([400, 60, 1_500])
        get(request)
    }
}
