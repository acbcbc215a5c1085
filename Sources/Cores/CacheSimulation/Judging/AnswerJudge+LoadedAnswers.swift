import CacheModel
import CacheWire

/// Judges answers with values that a node loaded, straight from the origin or from memory.
extension AnswerJudge {
    /// Judges a value from a load that the reader waited for. If a record that covers it was
    /// applied since the origin was read, the value is marked. The record was not applied before
    /// the reader asked.
    func judgeLoaded(
        _ number: Int, _ outcome: Answer.Outcome, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        count(.loadedAnswers)
        if outcome.flags.contains(.overtaken) { count(.overtakenAnswers) }
        let fill = origin.fills[number]
        let end = shard.memory.loads.ends(of: fill.item).last { $0.fill == number }
        guard let end, end.step > request.takenStep else {
            throw Violation(
                "\(shard.place) answers with fill \(number) as loaded, and no load brought it "
                    + "since it was asked")
        }
        try judgeOvertaken(fill, outcome, request, of: shard)
        guard outcome.isFresh else { return }
        try judgeTimes(fill, outcome, end, of: shard)
    }

    /// Whether the reader waited for the load that confirmed the value in its answer. Then the
    /// value is its answer, even without any lifetime left, or if it was softly invalidated since.
    func isConfirmed(
        _ number: Int, _ outcome: Answer.Outcome, _ request: Request, of shard: SimulatedShard
    ) -> Bool {
        guard outcome.status == .hit,
            outcome.ttlMilliseconds == 0 || outcome.flags.contains(.overtaken),
            let holding = shard.memory.holdings[number], holding.isRenewed
        else { return false }
        return holding.step > request.takenStep
    }

    func judgeConfirmedAnswer(
        _ number: Int, _ outcome: Answer.Outcome, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        count(.confirmedAnswers)
        if outcome.flags.contains(.overtaken) { count(.overtakenAnswers) }
        try judgeOvertaken(shard.memory.held(origin.fills[number]), outcome, request, of: shard)
    }

    private func judgeOvertaken(
        _ fill: Fill, _ outcome: Answer.Outcome, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        for record in chronicle.records(after: fill.readStep, covering: fill) {
            guard leases.hasObeyed(record, shard) else {
                if outcome.isVouchedFor { try leases.judgeFresh(record, shard) }
                continue
            }
            let obeyed =
                shard.memory.applied.steps[record.sealed.digest] ?? shard.memory.forgetStep
            try Violation.unless(
                obeyed > request.takenStep,
                "\(shard.place) was asked after it obeyed \(record.position) and answers with "
                    + "fill \(fill.number), which was read before it")
            try Violation.unless(
                outcome.flags.contains(.overtaken),
                "\(shard.place) has obeyed \(record.position) and does not say that it overtook "
                    + "fill \(fill.number)")
            try judgeDemanded(record, fill, request, of: shard)
        }
    }

    /// A reader that demands a position, or the head, gets an answer as if it had asked after it.
    private func judgeDemanded(
        _ record: RecordFact, _ fill: Fill, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        guard !record.isLost, !chronicle.hasLostAny else { return }
        let isDemanded =
            request.atLeast.map { record.position <= $0 } ?? false
            || request.isStrong && record.appendedStep < request.step
        guard isDemanded else { return }
        throw Violation(
            "\(shard.place) was to reflect \(record.position) and answers with fill "
                + "\(fill.number), which was read before it")
    }

    /// The time to live in an answer ends with the lifetime of the value. For a doubtful value it
    /// also ends with the lag of replicas.
    private func judgeTimes(
        _ fill: Fill, _ outcome: Answer.Outcome, _ end: LoadLedger.End, of shard: SimulatedShard
    ) throws(Violation) {
        let told = Span.milliseconds(Int(clamping: min(outcome.ttlMilliseconds, 1 << 32)))
        if told > .zero, let endsAt = end.endsAt, now + told > endsAt + StoreJudge.lifeSlack {
            throw Violation(
                "\(shard.place) gives fill \(fill.number) a longer TTL than it was loaded with")
        }
        let holding = Holding(
            step: end.step, valueStep: end.step, time: end.time, endsAt: end.endsAt,
            readStep: fill.readStep, sawStep: fill.sawStep)
        // A reader of several keys gets, once all are there, values that were read while it waited.
        // Such a value has no time to live in the answer, so no reader keeps it for longer.
        guard told > .zero else { return try leases.judgeEcho(fill, in: shard) }
        try leases.judgeLag(fill, holding, in: shard)
        guard let record = leases.unseenRecord(fill, in: shard) else { return }
        let lag = settings.replicaLag(of: Catalog.items[fill.item].namespace)
        try Violation.unless(
            now + told <= end.time + lag + StoreJudge.lifeSlack,
            "\(shard.place) gives fill \(fill.number) a longer TTL than replicas lag, though it "
                + "obeyed \(record.position), which that may not have seen")
    }

    // MARK: None

    /// Judges a negative answer: a load that the reader waited for found no value, or the shard
    /// holds that result.
    func judgeNegative(
        _ item: Int, _ outcome: Answer.Outcome, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        count(.negativeAnswers)
        var complaint = Violation("\(shard.place) says that there is no key \(item), unasked")
        if let resident = shard.memory.residents[item], origin.fills[resident].isAbsent {
            do throws(Violation) {
                var held = outcome
                // The answer to a reader of stale values does not state that the value is stale.
                let takesStale = request.allowsStale || request.maxStaleMilliseconds != nil
                let isTooOld = request.maxAgeMilliseconds != nil && takesStale
                held.status = outcome.isVouchedFor && !isTooOld ? .hit : .stale
                try judgeServed(shard.memory.held(origin.fills[resident]), held, of: shard)
                return try judgeDemand(resident, held, request, of: shard)
            } catch {
                complaint = error
            }
        }
        let ends = shard.memory.loads.ends(of: item)
        for end in ends.reversed()
        where end.step > request.takenStep && origin.fills[end.fill].isAbsent {
            do throws(Violation) {
                return try judgeOvertaken(origin.fills[end.fill], outcome, request, of: shard)
            } catch {
                complaint = error
            }
        }
        throw complaint
    }

    /// A reader that wants a load never gets an empty answer without one.
    func judgeUnloaded(
        _ request: Request, _ item: Int, of shard: SimulatedShard
    ) throws(Violation) {
        guard case .get = request.purpose, settings.isLoaded(item), shard.isConfigured else {
            return
        }
        let policy = settings.policy(of: Catalog.items[item].namespace)
        guard request.readPolicy ?? policy.origin?.read != .cacheOnly else { return }
        throw Violation("\(shard.place) has nothing of key \(item) and does not load it")
    }
}
