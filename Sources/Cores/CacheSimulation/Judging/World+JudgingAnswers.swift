import CacheModel
import CacheWire

/// Judges answers at the moment of their decision.
extension World {
    func judge(_ answer: Answer, of shard: SimulatedShard) throws(Violation) {
        guard let proof = answer.proof, let request = requests[answer.requestID] else { return }
        guard proof.position == shard.memory.mark.position else {
            throw Violation(
                "\(shard.place) claims to reflect \(proof.position), and got everything "
                    + "up to \(shard.memory.mark.position)")
        }
        guard proof.position >= shard.memory.answered else {
            throw Violation(
                "\(shard.place) goes back from \(shard.memory.answered) to \(proof.position)")
        }
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
        tally.strongReads += 1
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
        if case .prefetch = request.purpose {
            return try judgePrefetch(outcome, request, request.items[index], of: shard)
        }
        switch outcome.status {
        case .hit, .stale:
            let number = Fill.number(of: outcome.value)
            guard fills.indices.contains(number), fills[number].item == request.items[index],
                outcome.value == fills[number].value
            else {
                throw Violation(
                    "\(shard.place) answers with a value that was never stored there, "
                        + "\(outcome.value.count) bytes")
            }
            if outcome.status == .hit { tally.hits += 1 } else { tally.staleAnswers += 1 }
            if outcome.isFresh, !holdsLease(shard) {
                throw Violation("\(shard.place) calls fill \(number) fresh without a lease")
            }
            try judgeTolerance(number, outcome, request, of: shard)
            note(place, outcome.status == .hit ? "hit of fill" : "stale answer, fill", number)
            if outcome.isLoaded { return try judgeLoaded(number, outcome, request, of: shard) }
            if isConfirmed(number, outcome, request, of: shard) {
                return try judgeConfirmedAnswer(number, outcome, request, of: shard)
            }
            try judgeServed(shard.memory.held(fills[number]), outcome, of: shard)
            if outcome.isFresh, let holding = shard.memory.holdings[number] {
                try judgeOwned(fills[number], storedAt: holding.step, request, of: shard)
            }
            try judgeDemand(number, outcome, request, of: shard)
        case .stored: try judgeStored(request, of: shard)
        case .touched:
            note(place, "touches", request.items[index])
            try judgeTouched(request.items[index], of: shard)
            let end = now + .milliseconds(Self.touchedMilliseconds)
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
        case .behind: tally.behindAnswers += 1
        case .busy: tally.busyAnswers += 1
        case .failed:
            note(place, "is told that no load helps", Int(outcome.detail))
            tally.failedReads += 1
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
            guard shard.memory.isLoadOutdated(item) else { return }
            throw Violation(
                "\(shard.place) tells a reader of key \(item) to wait for a load that began before "
                    + "it obeyed an invalidation of that key")
        }
        tally.tokens += 1
        guard token.position == shard.memory.mark.position else {
            throw Violation(
                "\(shard.place) is at \(shard.memory.mark.position) and gives a token for "
                    + "\(token.position)")
        }
        shard.memory.give(token.nonce, for: item, step: step)
        shard.memory.askedAt[item] = now
    }

    /// An entry past its lifetime is only for readers of stale values, and no touch renews it.
    private func judgeTouched(_ item: Int, of shard: SimulatedShard) throws(Violation) {
        guard let resident = shard.memory.residents[item],
            let end = shard.memory.holdings[resident]?.endsAt, now >= end + Self.lifeSlack
        else { return }
        throw Violation("\(shard.place) touches fill \(resident) after its lifetime")
    }

    private func countRefusal(_ detail: UInt8) {
        switch StoreRefusal(rawValue: detail) {
        case .invalidatedMeanwhile: tally.invalidatedMeanwhile += 1
        case .leaseVoid: tally.leasesVoid += 1
        case .olderVersion: tally.olderVersions += 1
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
        try judgeNewest(fill, holding, of: shard)
        if outcome.status == .hit { try judgeLife(fill, holding, of: shard) }
        if stored < shard.memory.excusedStep { return }
        if outcome.status == .hit { try judgeLag(fill, holding, in: shard) }
        guard stored > shard.memory.hiddenStep else {
            throw Violation(
                "\(shard.place) serves fill \(fill.number), though it was told to hide "
                    + "everything from before \(shard.memory.forgetPosition) for good")
        }
        if stored < shard.memory.forgetStep { tally.sparedAnswers += 1 }
        for record in coveringRecords(fill, storedAt: stored, in: shard) {
            let isObeyed =
                hasObeyed(record, shard)
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
            if outcome.isFresh, case .fenced = fill.claim { try judgeFresh(record, shard) }
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

    /// A record that was lost with its publisher binds only the shards that received it.
    func hasObeyed(_ record: RecordFact, _ shard: SimulatedShard) -> Bool {
        record.isLost
            ? shard.memory.obeyedSteps[record.sealed.digest] != nil
            : shard.memory.hasObeyed(record)
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
        guard hasObeyed || isExcused else {
            throw Violation("\(shard.place) answers REMOVED before it applied the invalidation")
        }
        note(.shard(shard.place), "removes", request.items[0])
    }
}
