import CacheModel
import CacheWire

/// Judges answers at the moment of their decision.
struct AnswerJudge: WorldPart {
    let nodes: SimulatedNodes
    let chronicle: Chronicle
    let requests: RequestTable
    let origin: SimulatedOrigin
    let leases: LeaseJudge
    let stores: StoreJudge
    let owners: OwnersJudge

    var timeline: Timeline { nodes.timeline }

    func judge(_ answer: Answer, of shard: SimulatedShard) throws(Violation) {
        guard let proof = answer.proof, let request = requests[answer.requestID] else { return }
        try Violation.unless(
            proof.position == shard.memory.mark.position,
            "\(shard.place) claims to reflect \(proof.position), and got everything up to "
                + "\(shard.memory.mark.position)")
        try Violation.unless(
            proof.position >= shard.memory.answered,
            "\(shard.place) goes back from \(shard.memory.answered) to \(proof.position)")
        shard.memory.answered = proof.position
        for (index, outcome) in answer.outcomes.enumerated() {
            try judgeAtLeast(request, outcome, proof)
            try judgeStrong(request, outcome, of: shard)
            try judge(outcome, request, index, of: shard)
        }
    }

    private func judgeAtLeast(
        _ request: Request, _ outcome: Answer.Outcome, _ proof: Proof
    ) throws(Violation) {
        guard let atLeast = request.atLeast, proof.position < atLeast else { return }
        guard outcome.status == .behind || outcome.status == .busy else {
            let isRefusedAsBehind =
                outcome.status == .refused && outcome.detail == StoreRefusal.behind.rawValue
            if isRefusedAsBehind { return }
            throw Violation(
                "\(request.place) was asked for at least \(atLeast) and answers "
                    + "\(outcome.status.map { "\($0)" } ?? "?") from \(proof.position)")
        }
    }

    /// A strong read reflects every record from before its request.
    private func judgeStrong(
        _ request: Request, _ outcome: Answer.Outcome, of shard: SimulatedShard
    ) throws(Violation) {
        guard request.isStrong, outcome.status != .behind, outcome.status != .busy else { return }
        count(.strongReads)
        if outcome.status == .stale {
            throw Violation("\(shard.place) answers a strong read with a stale value")
        }
        for record in chronicle.records.reversed() where record.appendedStep < request.step {
            if record.isLost || shard.memory.hasObeyed(record) { continue }
            throw Violation(
                "\(shard.place) answers a strong read without \(record.position), which was "
                    + "appended before it was asked")
        }
    }

    private func judge(
        _ outcome: Answer.Outcome, _ request: Request, _ index: Int, of shard: SimulatedShard
    ) throws(Violation) {
        let place = Trace.Place.shard(shard.place)
        try owners.judge(outcome, request, request.items[index], of: shard)
        if case .prefetch = request.purpose {
            return try judgePrefetch(outcome, request, request.items[index], of: shard)
        }
        switch outcome.status {
        case .hit, .stale:
            let number = Fill.number(of: outcome.value)
            try Violation.unless(
                origin.fills.indices.contains(number)
                    && origin.fills[number].item == request.items[index]
                    && outcome.value == origin.fills[number].value,
                "\(shard.place) answers with a value that was never stored there, "
                    + "\(outcome.value.count) bytes")
            count(outcome.status == .hit ? .hits : .stale)
            if outcome.isFresh, !leases.holdsLease(shard) {
                throw Violation("\(shard.place) calls fill \(number) fresh without a lease")
            }
            try judgeTolerance(number, outcome, request, of: shard)
            try judgeSuspect(number, outcome, request, of: shard)
            note(place, outcome.status == .hit ? "hit of fill" : "stale answer, fill", number)
            if outcome.isLoaded { return try judgeLoaded(number, outcome, request, of: shard) }
            if isConfirmed(number, outcome, request, of: shard) {
                return try judgeConfirmedAnswer(number, outcome, request, of: shard)
            }
            try judgeServed(shard.memory.held(origin.fills[number]), outcome, of: shard)
            // What an owner before gives is judged where it is stored.
            if outcome.isFresh, !request.isOfMove, let holding = shard.memory.holdings[number] {
                try stores.judgeOwned(
                    origin.fills[number], storedAt: holding.valueStep, request, of: shard)
            }
            try judgeDemand(number, outcome, request, of: shard)
        case .stored: try stores.judgeStored(request, of: shard)
        case .touched:
            note(place, "touches", request.items[index])
            try stores.judgeConfigured(shard)
            try judgeTouched(request.items[index], of: shard)
            let end = now + .milliseconds(SimulatedReaders.touchedMilliseconds)
            shard.memory.touch(request.items[index], endsAt: end)
        case .removed: try judgeRemoved(request, of: shard)
        case .refused:
            note(place, "refuses", Int(outcome.detail))
            countRefusal(outcome.detail)
        case .miss:
            note(
                place, outcome.token != nil ? "gives a token for" : "misses",
                request.items[index])
            if outcome.flags.contains(.negative) {
                return try judgeNegative(request.items[index], outcome, request, of: shard)
            }
            try judgeMiss(request, request.items[index], outcome, of: shard)
            try judgeUnloaded(request, request.items[index], of: shard)
        case .behind: count(.behind)
        case .busy:
            count(.busyAnswers)
            if outcome.detail == StoreRefusal.unconfigured.rawValue { try judgeDenied(shard) }
        case .failed:
            note(place, "is told that no load helps", Int(outcome.detail))
            count(.failedReads)
        default: break
        }
    }

    /// A token is for the position that its shard has applied. No reader has to wait for a load
    /// from before an invalidation of the key.
    private func judgeMiss(
        _ request: Request, _ item: Int, _ outcome: Answer.Outcome, of shard: SimulatedShard
    ) throws(Violation) {
        guard let token = outcome.token else {
            switch request.purpose {
            case .load, .proof: break
            default: return
            }
            if outcome.detail == StoreRefusal.unconfigured.rawValue {
                return try judgeDenied(shard)
            }
            if settings.nodesLeave, outcome.detail == StoreRefusal.draining.rawValue { return }
            guard shard.memory.leases.isOutdated(item) else { return }
            throw Violation(
                "\(shard.place) tells a reader of key \(item) to wait for a load that began before "
                    + "it obeyed an invalidation of that key")
        }
        count(.tokens)
        try stores.judgeConfigured(shard)
        try Violation.unless(
            token.position == shard.memory.mark.position,
            "\(shard.place) is at \(shard.memory.mark.position) and gives a token for "
                + "\(token.position)")
        shard.memory.give(token.nonce, for: item, step: step)
        shard.memory.askedAt[item] = now
    }

    private func judgeDenied(_ shard: SimulatedShard) throws(Violation) {
        try Violation.unless(
            !shard.isConfigured, "\(shard.place) denies that it has its configuration")
    }

    /// An entry past its lifetime is only for readers of stale values, and no touch renews it.
    private func judgeTouched(_ item: Int, of shard: SimulatedShard) throws(Violation) {
        guard let resident = shard.memory.residents[item],
            let end = shard.memory.holdings[resident]?.endsAt, now >= end + StoreJudge.lifeSlack
        else { return }
        throw Violation("\(shard.place) touches fill \(resident) after its lifetime")
    }

    private func countRefusal(_ detail: UInt8) {
        switch StoreRefusal(rawValue: detail) {
        case .invalidatedMeanwhile: count(.invalidatedMeanwhile)
        case .leaseVoid: count(.leasesVoid)
        case .olderVersion: count(.olderVersions)
        default: break
        }
    }

    // MARK: Serving

    /// A shard never serves an entry that an applied record covers, marked or not. It may serve a
    /// soft-invalidated entry if it marks it.
    func judgeServed(
        _ fill: Fill, _ outcome: Answer.Outcome, of shard: SimulatedShard
    ) throws(Violation) {
        guard let holding = shard.memory.holdings[fill.number] else {
            throw Violation("\(shard.place) serves fill \(fill.number), which it never stored")
        }
        let stored = holding.step
        try stores.judgeNewest(fill, holding, of: shard)
        if outcome.status == .hit { try stores.judgeLife(fill, holding, of: shard) }
        if stored < shard.memory.excusedStep { return }
        if outcome.status == .hit { try leases.judgeLag(fill, holding, in: shard) }
        try Violation.unless(
            stored > shard.memory.hiddenStep,
            "\(shard.place) serves fill \(fill.number), though it was told to hide everything "
                + "from before \(shard.memory.forgetPosition) for good")
        if stored < shard.memory.forgetStep { count(.sparedAnswers) }
        for record in coveringRecords(fill, storedAt: stored, in: shard) {
            let isObeyed =
                leases.hasObeyed(record, shard)
                || shard.memory.obeyedStep(record.sealed.digest, for: holding) != nil
            if isObeyed, record.isHard {
                throw Violation(
                    "\(shard.place) has obeyed \(record.position) and still serves fill "
                        + "\(fill.number), which was read before it and is covered by it")
            }
            if isObeyed, outcome.status == .hit || !outcome.flags.contains(.soft) {
                throw Violation(
                    "\(shard.place) has obeyed the soft \(record.position) and serves fill "
                        + "\(fill.number) without saying that it is soft-invalidated")
            }
            if outcome.isFresh, case .fenced = fill.claim { try leases.judgeFresh(record, shard) }
        }
    }

    /// Records that cover a value and came after the point that orders it.
    private func coveringRecords(
        _ fill: Fill, storedAt stored: Int, in shard: SimulatedShard
    ) -> [RecordFact] {
        switch fill.claim {
        case .fenced: return chronicle.records(after: fill.readStep, covering: fill)
        case .ordered(let operation):
            // A store with a record that was lost with its publisher has no place in the order.
            guard let own = chronicle.records(of: operation).last, !own.isLost else { return [] }
            return chronicle.records(after: own.step, covering: fill)
        case .blind:
            let holding = shard.memory.holdings[fill.number]
            return chronicle.records.filter { record in
                guard record.covers(fill),
                    !shard.memory.hadSteppedOver(record, before: holding)
                else { return false }
                let obeyed = shard.memory.obeyedStep(record.sealed.digest, for: holding)
                return (obeyed != nil || shard.memory.hasObeyed(record))
                    && (obeyed ?? record.step) > stored
            }
        }
    }

    // MARK: Removing

    private func judgeRemoved(_ request: Request, of shard: SimulatedShard) throws(Violation) {
        guard case .delete(let operation) = request.purpose else {
            throw Violation("\(shard.place) answers REMOVED to a request that removes nothing")
        }
        // A position does not name its log. If the record was lost, or the shard is still in a lost
        // part of the log, another record with that number ends the wait.
        let isExcused = chronicle.hasLost(placeOf: shard.memory)
        let hasObeyed = chronicle.records(of: operation).contains {
            shard.memory.hasObeyed($0) || $0.isLost
        }
        try Violation.unless(
            hasObeyed || isExcused,
            "\(shard.place) answers REMOVED before it applied the invalidation")
        note(.shard(shard.place), "removes", request.items[0])
    }
}
