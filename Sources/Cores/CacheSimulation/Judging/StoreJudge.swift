import CacheModel
import CacheWire

/// An acknowledged plain store of a sharded cluster.
struct AcknowledgedStore {
    let fill: Int
    let run: Int
    let step: Int
}

/// Judges stores and renewals, and whether a served value is the one that was stored last.
final class StoreJudge: WorldPart {
    let timeline: Timeline
    private let nodes: SimulatedNodes
    private let chronicle: Chronicle
    private let origin: SimulatedOrigin
    private let leases: LeaseJudge
    private let lives: LifeJudge
    /// By node and key, the last store of each run.
    private var lastStores: [Int: [Int: [Int: Int]]] = [:]
    /// Acknowledged plain stores by key.
    private var acknowledged: [Int: [AcknowledgedStore]] = [:]

    init(
        _ chronicle: Chronicle, _ origin: SimulatedOrigin, _ leases: LeaseJudge,
        _ lives: LifeJudge
    ) {
        (timeline, nodes, self.chronicle) = (leases.timeline, leases.nodes, chronicle)
        (self.origin, self.leases, self.lives) = (origin, leases, lives)
    }

    func judgeStored(_ request: Request, of shard: SimulatedShard) throws(Violation) {
        let number: Int
        switch request.purpose {
        case .fill(let fill), .plainSet(let fill), .copy(let fill): number = fill
        case .renewal(let load): return try judgeRenewed(by: origin.fills[load], of: shard)
        default: throw Violation("\(shard.place) answers STORED to a request that stores nothing")
        }
        let fill = origin.fills[number]
        count(.stored)
        try judgeConfigured(shard)
        note(.shard(shard.place), "stores fill", number)
        if case .fenced = fill.claim { try judgeTaken(fill, under: fill, of: shard) }
        shard.memory.store(fill, step: step, time: now, endsAt: end(of: fill.item, in: shard))
        noteStore(fill.item, in: shard)
        if case .plainSet = request.purpose { noteAcknowledged(fill, by: shard) }
    }

    /// The settings of a namespace decide about each store.
    func judgeConfigured(_ shard: SimulatedShard) throws(Violation) {
        try Violation.unless(
            shard.isConfigured, "\(shard.place) changes an entry without a configuration")
    }

    /// A shard has stored a copy of another node's entry.
    func judgeCopied(_ given: Answer.Given, by shard: SimulatedShard) throws(Violation) {
        count(.copies)
        try judgeConfigured(shard)
        let fill = given.fill
        note(.shard(shard.place), "stores a copy of fill", fill.number)
        if case .fenced = fill.claim { try judgeReadSince(fill, of: shard) }
        try judgeHandedOver(fill, given.holding, to: shard)
        shard.memory.copy(fill, given.holding, step: step)
        noteStore(fill.item, in: shard)
    }

    /// No acknowledged store under its key is newer than a value that the owner before gives.
    private func judgeHandedOver(
        _ fill: Fill, _ holding: Holding, to shard: SimulatedShard
    ) throws(Violation) {
        guard settings.kind == .sharded else { return }
        count(.movedCopies)
        let newer = acknowledged[fill.item]?.last {
            $0.fill != fill.number && $0.step > holding.valueStep
        }
        guard let newer else { return }
        throw Violation(
            "\(shard.place) takes fill \(fill.number) from the owner before, though fill "
                + "\(newer.fill) was stored under its key since, by run \(newer.run)")
    }

    /// After a confirmation, only the value that the miss named counts as read then.
    private func judgeRenewed(by load: Fill, of shard: SimulatedShard) throws(Violation) {
        try judgeConfigured(shard)
        guard let number = shard.memory.residents[load.item],
            load.renewable?.names(origin.fills[number]) == true
        else {
            throw Violation(
                "\(shard.place) renews the value of key \(load.item), which is not what the "
                    + "origin confirmed")
        }
        count(.renewals)
        note(.shard(shard.place), "renews fill", number)
        let renewed = shard.memory.held(origin.fills[number], by: load)
        try judgeTaken(renewed, under: load, of: shard)
        shard.memory.renew(
            origin.fills[number], by: load, step: step, time: now,
            endsAt: end(of: load.item, in: shard))
        shard.memory.voidLeases(of: load.item, step: step)
        noteStore(load.item, in: shard)
    }

    /// A value that was stored with a load's token was read after every covering record that the
    /// shard has applied.
    func judgeTaken(
        _ fill: Fill, under load: Fill, of shard: SimulatedShard
    ) throws(Violation) {
        try judgeReadSince(fill, of: shard)
        guard load.tokenPlace == shard.place, let lease = load.lease else { return }
        try Violation.unless(
            shard.memory.isLoad(load.item, under: lease, at: step),
            "\(shard.place) stores fill \(fill.number) under a load lease that was void")
        try judgeToken(fill, of: load, in: shard)
    }

    /// A confirmed value counts as of the time of the question to the origin. It needs no lease if
    /// a later load holds it.
    func judgeConfirmed(
        _ fill: Fill, by load: Fill, of shard: SimulatedShard
    ) throws(Violation) {
        guard !shard.memory.loads.beginnings(of: load.item).isEmpty else {
            return try judgeTaken(fill, under: load, of: shard)
        }
        try judgeReadSince(fill, of: shard)
        try judgeToken(fill, of: load, in: shard)
    }

    func judgeReadSince(_ fill: Fill, of shard: SimulatedShard) throws(Violation) {
        for record in chronicle.records(after: fill.readStep, covering: fill)
        where leases.hasObeyed(record, shard) {
            throw Violation(
                "\(shard.place) stores fill \(fill.number), which was read before "
                    + "\(record.position) and is covered by it, after it obeyed that")
        }
    }

    private func judgeToken(
        _ fill: Fill, of load: Fill, in shard: SimulatedShard
    ) throws(Violation) {
        guard
            load.tokenPlace != shard.place || load.lease == nil
                || load.tokenStep >= shard.memory.forgetStep
        else {
            throw Violation(
                "\(shard.place) stores fill \(fill.number) under a token from before it had to "
                    + "forget everything")
        }
    }

    // MARK: The newest value

    // I6: a served value, from either tier, is the last value that was stored under its key, and
    // within its lifetime. No restart brings back a value that another run replaced. I9: in a
    // sharded cluster an acknowledged store is not undone by a change of its members.

    /// A served value was the last one that was stored under its key.
    func judgeNewest(
        _ fill: Fill, _ holding: Holding, of shard: SimulatedShard
    ) throws(Violation) {
        if let newest = shard.memory.residents[fill.item], newest != fill.number {
            throw Violation(
                "\(shard.place) serves fill \(fill.number), though fill \(newest) was stored "
                    + "under its key since")
        }
        guard holding.step <= shard.memory.inheritedStep else { return }
        count(.inheritedAnswers)
        guard settings.kind == .sharded else { return }
        try judgeEarlierRuns(fill, holding, of: shard)
    }

    /// In a sharded topology the log has no records of stores. So no run may have stored under that
    /// key after the run that wrote the disk, and before this run had its first lease. What a run
    /// stores that has lost its lease, and gets none again, the publisher cannot know
    /// (docs/decisions/0034).
    private func judgeEarlierRuns(
        _ fill: Fill, _ holding: Holding, of shard: SimulatedShard
    ) throws(Violation) {
        let own = nodes.runs[shard.place.run]
        let end = max(own.memory.firstGrants.values.min() ?? 0, shard.beganStep)
        for (run, stored) in lastStores[own.node]?[fill.item] ?? [:]
        where run != own.number && stored > holding.step && stored < end {
            if isUnknowable(stored, by: nodes.runs[run]) { continue }
            guard !lives.isForgotten(stored, by: shard.memory.writer) else { continue }
            throw Violation(
                "\(shard.place) serves fill \(fill.number) from disk, though run \(run) of its "
                    + "node has stored under its key since")
        }
    }

    /// Whether the run had lost its lease when it stored, and another run of its node was granted
    /// one instead.
    private func isUnknowable(_ stored: Int, by run: SimulatedRun) -> Bool {
        let leased = run.memory.leasedStep
        return leased > 0 && stored > leased
            && nodes.runs.contains { $0.node == run.node && $0.memory.leasedStep > leased }
    }

    func noteStore(_ item: Int, in shard: SimulatedShard) {
        guard settings.tiers != nil else { return }
        let run = nodes.runs[shard.place.run]
        if leases.holdsLease(shard) { run.memory.leasedStep = step }
        let node = run.node
        lastStores[node, default: [:]][item, default: [:]][shard.place.run] = step
    }

    /// A fresh value has not outlived its lifetime.
    func judgeLife(
        _ fill: Fill, _ holding: Holding, of shard: SimulatedShard
    ) throws(Violation) {
        guard let end = holding.endsAt, now >= end + Self.lifeSlack else { return }
        throw Violation("\(shard.place) calls fill \(fill.number) fresh after its lifetime")
    }

    /// Clocks are slightly wrong, and lifetimes are in milliseconds.
    static let lifeSlack = Span.milliseconds(30)

    /// The end of the lifetime of an entry that is stored now.
    func end(of item: Int, in shard: SimulatedShard) -> WorldTime? {
        guard shard.isConfigured else { return nil }
        let namespace = Catalog.items[item].namespace
        let policy = settings.policy(of: namespace)
        return policy.timeToLive.map { now + Span(nanoseconds: $0.wholeNanoseconds) }
    }

    // MARK: Members that change

    /// A shard without a lease may have been removed without its knowledge: then nothing is
    /// guaranteed.
    func noteAcknowledged(_ fill: Fill, by shard: SimulatedShard) {
        guard settings.kind == .sharded, leases.holdsLease(shard) else { return }
        acknowledged[fill.item, default: []].append(
            AcknowledgedStore(fill: fill.number, run: shard.place.run, step: step))
    }

    /// A fresh value is not older than a store of another node under its key from before the
    /// request. Two runs of one node share their keys.
    func judgeOwned(
        _ fill: Fill, storedAt stored: Int, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        let node = nodes.runs[shard.place.run].node
        if isUnknown(nodes.runs[shard.place.run]) { return }
        let newer = acknowledged[fill.item]?.last {
            $0.fill != fill.number && $0.step > stored && $0.step < request.step
                && nodes.runs[$0.run].node != node
        }
        guard let newer else { return }
        throw Violation(
            "\(shard.place) calls fill \(fill.number) fresh, though fill \(newer.fill) was stored "
                + "under its key since, by run \(newer.run) of another node")
    }

    /// As ``LeaseJudge``: a publisher that does not know the leases of its predecessor has
    /// heard another run of the node, and this run has no lease of it yet.
    private func isUnknown(_ run: SimulatedRun) -> Bool {
        settings.mayGrantsBeForgotten && run.memory.hasTwin
            && run.memory.firstGrants[nodes.publisher.generation] == nil
    }
}
