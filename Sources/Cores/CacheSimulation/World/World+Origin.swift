import CacheModel

/// Loads: a missing value is read from the database, or from a replica of it that lags. If a miss
/// names a hidden entry, the client asks whether that entry has changed.
extension World {
    /// A miss gave a token: the database is read soon, and answers after a random time.
    func beginLoad(
        _ item: Int, _ token: FillToken, _ renewable: Renewable?, _ answer: Answer
    ) {
        var fill = Fill(number: fills.count, item: item, claim: .fenced)
        fill.paddingBytes = settings.tiers?.paddingBytes ?? 0
        fill.token = token
        fill.tokenPlace = answer.place
        fill.tokenStep = answer.step
        // Not every client supports revalidation.
        if renewable != nil, dice.chance(perMille: 800) { fill.renewable = renewable }
        if renewable != nil, dice.chance(perMille: 100) { fill.renewable = keptElsewhere(item) }
        fills.append(fill)
        plan(.originIsRead(fill: fill.number), within: 10...5_000)
    }

    /// A value that a client may revalidate itself: it has its own copy.
    private func keptElsewhere(_ item: Int) -> Renewable? {
        let kept = fills.last { $0.item == item && $0.hasValidator && !$0.isUnchanged }
        return kept.map { Renewable(validator: $0.validator) }
    }

    func originIsRead(_ number: Int) {
        var fill = fills[number]
        fill.readStep = step
        let shown = momentShown(to: fill.item)
        fill.sawStep = shown < now ? chronicle.lastStep(by: shown) : step
        fill.content = database.version(of: fill.item, at: shown)
        if let renewable = fill.renewable, isCurrent(renewable, fill.content) {
            fill.isUnchanged = true
        } else {
            if dice.chance(perMille: 500) { fill.version = fill.content }
            fill.hasValidator = dice.chance(perMille: 500)
            fill.isQuoted = settings.origin != nil
            fill.tags = UInt64(dice.below(1 << Catalog.tags.count))
        }
        if shown < now { tally.laggingReads += 1 }
        fills[number] = fill
        var span = dice.span(microseconds: settings.originMicroseconds)
        if shown < now, dice.chance(perMille: 300) {
            let lag = settings.replicaLag(of: Catalog.items[fill.item].namespace)
            span = .microseconds(dice.number(in: 100...Int(lag.nanoseconds / 500)))
        }
        queue.add(.originAnswers(fill: number), at: now + span)
    }

    /// The time of the database state that is read: a replica lags up to its namespace's limit.
    func momentShown(to item: Int) -> WorldTime {
        let longest = settings.replicaLag(of: Catalog.items[item].namespace)
        guard longest > .zero, dice.chance(perMille: 600) else { return now }
        // The lag is in the time of the database's clock; other clocks must allow for it.
        let lag = UInt64(dice.number(in: 0...980)) * (longest.nanoseconds / 1_000)
        return WorldTime(nanoseconds: now.nanoseconds - min(lag, now.nanoseconds))
    }

    /// Whether the ETag or version of a miss is that of the database's value.
    func isCurrent(_ renewable: Renewable, _ content: Version) -> Bool {
        guard let fill = renewable.fill else { return renewable.version == content }
        return fills[fill].content == content && !fills[fill].isAbsent
    }

    /// Stores or renews the result of a load, mostly at the shard that gave the token.
    func originAnswers(_ number: Int) {
        let fill = fills[number]
        guard var place = fill.tokenPlace else { return }
        let isAstray = examined == nil && dice.chance(perMille: 50)
        let node = isAstray ? dice.below(settings.nodeCount) : runs[place.run].node
        if runs[place.run].isDead || node != runs[place.run].node { place.run = newestRun[node] }
        guard !runs[place.run].isDead else { return }
        let request = Request(
            purpose: fill.isUnchanged ? .renewal(number) : .fill(number), place: place,
            items: [fill.item])
        set(request)
        if dice.chance(perMille: 30) { set(request) }
    }
}
