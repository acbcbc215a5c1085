import CacheLoading
import CacheModel
import CacheNodeCore

/// Judges beginnings and ends of loads, and their results.
struct LoadJudge: WorldPart {
    let chronicle: Chronicle
    let origin: SimulatedOrigin
    let stores: StoreJudge

    var timeline: Timeline { origin.timeline }

    /// Notes the loads that a shard has begun since the last call.
    func noteLoads(of shard: SimulatedShard) throws(Violation) {
        for case .load(let load) in shard.effects
        where load.number > shard.memory.loads.lastNumber {
            let request = load.request
            guard let item = Catalog.index(of: request.key, in: request.namespace) else {
                throw Violation("\(shard.place) loads a key that was not requested")
            }
            note(
                .shard(shard.place), "loads key", item,
                at: LogPosition(epoch: .none, sequence: SequenceNumber(load.number)))
            shard.memory.begin(load.number, of: item, step: step)
            shard.memory.askedAt[item] = now
            try Violation.unless(
                shard.memory.loads.beginnings(of: item).count <= 2,
                "\(shard.place) has more than two loads of key \(item) under way")
        }
    }

    func noteObeyed(_ record: SealedRecord, by shard: SimulatedShard) {
        guard settings.origin != nil else { return }
        if record.record.strength == .soft { shard.memory.softenedAt = now }
        guard let fact = chronicle.record(of: record.digest) else { return }
        shard.memory.loads.cover(fact.keys, step: step)
    }

    /// Passes the end of a load to a shard. An admitted result was read after every covering record
    /// that the shard has applied. The end of an unknown load changes nothing.
    func loadEnded(
        _ number: UInt64, _ end: (outcome: LoadOutcome, fill: Int?), at shard: SimulatedShard,
        _ clock: Instant
    ) throws(Violation) {
        let before = shard.core.statistics
        shard.core.loadEnded(number, end.outcome, now: clock, effects: &shard.effects)
        let isStored = shard.core.statistics.stored > before.stored
        let isRenewed = shard.core.statistics.renewed > before.renewed
        if let load = shard.memory.loads.end(number) {
            try judgeEnd(of: (number, load), end, (isStored, isRenewed), of: shard)
        } else if isStored || isRenewed {
            throw Violation("\(shard.place) keeps the result of a load that had ended before")
        } else {
            count(.strayEnds)
        }
        try noteLoads(of: shard)
    }

    private func judgeEnd(
        of load: (number: UInt64, known: LoadLedger.Load),
        _ end: (outcome: LoadOutcome, fill: Int?),
        _ kept: (isStored: Bool, isRenewed: Bool), of shard: SimulatedShard
    ) throws(Violation) {
        guard let facts = end.outcome.facts, let number = end.fill else {
            try Violation.unless(
                !kept.isStored && !kept.isRenewed,
                "\(shard.place) keeps the result of a failed load")
            return note(.shard(shard.place), "hears that a load failed, key", load.known.item)
        }
        origin.fills[number].load = load.number
        origin.fills[number].tokenPlace = shard.place
        origin.fills[number].tokenStep = load.known.begunStep
        let fill = origin.fills[number]
        let life = life(of: facts, fill)
        shard.memory.loads.note(
            .init(fill: number, step: step, time: now, endsAt: life.endsAt), of: fill.item)
        note(
            .shard(shard.place), "hears of fill", number,
            at: LogPosition(epoch: .none, sequence: SequenceNumber(load.number)))
        if kept.isRenewed { return try judgeConfirmed(by: fill, life, of: shard) }
        if fill.isUnchanged { count(.lateConfirmations) }
        guard kept.isStored else { return }
        try Violation.unless(!fill.isUnchanged, "\(shard.place) stores a value that no answer had")
        count(.loadsKept)
        note(.shard(shard.place), "keeps fill", number)
        try stores.judgeTaken(fill, under: fill, of: shard)
        shard.memory.store(fill, step: step, time: now, endsAt: life.endsAt)
        shard.memory.open(life.window, for: number)
        stores.noteStore(fill.item, in: shard)
    }

    /// A 304 confirms only the value of its request, as of the time of the request.
    private func judgeConfirmed(
        by load: Fill, _ life: LoadedLife, of shard: SimulatedShard
    ) throws(Violation) {
        guard load.isUnchanged, let number = shard.memory.residents[load.item],
            load.renewable?.names(origin.fills[number]) == true
        else {
            throw Violation(
                "\(shard.place) renews the value of key \(load.item), which is not what the "
                    + "origin confirmed")
        }
        count(.loadsConfirmed)
        note(.shard(shard.place), "has confirmed fill", number)
        try stores.judgeConfirmed(
            shard.memory.held(origin.fills[number], by: load), by: load, of: shard)
        shard.memory.renew(
            origin.fills[number], by: load, step: step, time: now, endsAt: life.endsAt)
        shard.memory.open(life.window, for: number)
        stores.noteStore(load.item, in: shard)
    }

    /// The longest lifetime of a loaded value, by its answer and its namespace.
    struct LoadedLife {
        let endsAt: WorldTime?
        let window: Span
    }

    private func life(of facts: LoadedFacts, _ fill: Fill) -> LoadedLife {
        let policy = settings.policy(of: Catalog.items[fill.item].namespace)
        let origin = policy.origin
        let own = fill.isAbsent ? origin?.negativeTimeToLive : nil
        let lifetime = facts.lifetime ?? own ?? policy.timeToLive
        let window = max(
            facts.staleWhileRevalidate ?? origin?.staleWhileRevalidate ?? .zero,
            facts.staleIfError ?? origin?.staleIfError ?? .zero)
        return LoadedLife(
            endsAt: lifetime.map { now + Span(nanoseconds: $0.wholeNanoseconds) },
            window: Span(nanoseconds: window.wholeNanoseconds))
    }

    // MARK: The origin thread

    /// The requests in flight at a namespace's origin are within their limit.
    func judgeLimit(
        of request: OriginRequest, _ thread: SimulatedOriginThread, _ run: SimulatedRun
    ) throws(Violation) {
        let count = thread.attempts.values.count { $0.request.namespace == request.namespace }
        try Violation.unless(
            count <= request.policy.concurrencyMax,
            "run \(run.number) has \(count) requests at one origin")
    }

    /// Every load ends within its timeout.
    func judgeScheduler(
        _ thread: SimulatedOriginThread, _ run: SimulatedRun, _ clock: Instant
    ) throws(Violation) {
        for (request, askedAt) in thread.requests.values
        where askedAt.advanced(by: request.timeout) <= clock {
            throw Violation("run \(run.number) lets a load continue past its deadline")
        }
    }
}

extension LoadOutcome {
    /// The facts of the origin's answer about a value; `nil` if it failed.
    fileprivate var facts: LoadedFacts? {
        switch self {
        case .value(_, let facts), .unchanged(let facts), .absent(let facts): facts
        case .failed: nil
        }
    }
}
