import CacheModel

/// Judges stores and renewals.
extension World {
    func judgeStored(_ request: Request, of shard: SimulatedShard) throws(Violation) {
        let number: Int
        switch request.purpose {
        case .fill(let fill), .plainSet(let fill), .copy(let fill): number = fill
        case .renewal(let load): return try judgeRenewed(by: fills[load], of: shard)
        default: throw Violation("\(shard.place) answers STORED to a request that stores nothing")
        }
        let fill = fills[number]
        tally.stored += 1
        note(.shard(shard.place), "stores fill", number)
        if case .fenced = fill.claim { try judgeTaken(fill, under: fill, of: shard) }
        shard.memory.store(fill, step: step, time: now, endsAt: end(of: fill.item, in: shard))
        noteStore(fill.item, in: shard)
        if case .plainSet = request.purpose { noteAcknowledged(fill, by: shard) }
    }

    /// After a confirmation, only the value that the miss named counts as read then.
    private func judgeRenewed(by load: Fill, of shard: SimulatedShard) throws(Violation) {
        guard let number = shard.memory.residents[load.item],
            load.renewable?.names(fills[number]) == true
        else {
            throw Violation(
                "\(shard.place) renews the value of key \(load.item), which is not what the "
                    + "origin confirmed")
        }
        tally.renewals += 1
        note(.shard(shard.place), "renews fill", number)
        let renewed = shard.memory.held(fills[number], by: load)
        try judgeTaken(renewed, under: load, of: shard)
        shard.memory.renew(
            fills[number], by: load, step: step, time: now, endsAt: end(of: load.item, in: shard))
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
        guard shard.memory.isLoad(load.item, under: lease, at: step) else {
            throw Violation(
                "\(shard.place) stores fill \(fill.number) under a load lease that was void")
        }
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
        where hasObeyed(record, shard) {
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
}
