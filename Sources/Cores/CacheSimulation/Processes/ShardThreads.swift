import CacheModel
import CacheNodeCore
import CacheWire

/// The shards' threads: the counterpart of the server's ShardLoop, in the same order.
struct ShardThreads: WorldPart {
    let nodes: SimulatedNodes
    let requests: RequestTable
    let origin: SimulatedOrigin
    let tiers: TierThreads
    let judges: Judges
    let copying: NodeCopying

    var timeline: Timeline { nodes.timeline }

    func shardTurn(_ shard: SimulatedShard) throws(Violation) {
        guard shard.turnAt == now else { return }
        shard.turnAt = nil
        let run = nodes.runs[shard.place.run]
        guard run.runs, !shard.isHeldUp else { return }
        let clock = run.clock.reading(at: now)
        try takeLetters(shard, clock)
        try perform(shard)
        if tiers.passCompletions(to: shard, clock) { try perform(shard) }
        try takeRequests(shard, clock)
        if shard.isHeldUp { return }
        try passTime(shard, clock)
        try judges.leases.judgeLease(shard)
        try judges.answers.judgeWaits(shard, clock)
        planNextTurn(shard)
    }

    private func planNextTurn(_ shard: SimulatedShard) {
        if !shard.letters.isEmpty || !shard.requests.isEmpty {
            nodes.wake(shard, at: soon())
        } else if shard.attendant != nil {
            tiers.planTurn(shard)
        } else if let deadline = shard.core.nextDeadline {
            let time = nodes.runs[shard.place.run].clock.time(of: deadline) + .milliseconds(1)
            nodes.wake(shard, at: max(soon(), time))
        }
    }

    private func takeLetters(_ shard: SimulatedShard, _ clock: Instant) throws(Violation) {
        let letters = shard.letters
        shard.letters = []
        for letter in letters {
            step += 1
            switch letter {
            case .apply(let records, let isAwaited):
                try judges.log.judgeRecords(records, for: shard)
                shard.core.apply(
                    records, isAwaited: isAwaited, now: clock, effects: &shard.effects)
            case .forget(let mark, let log, let isPending):
                shard.memory.forget(mark, isPending: isPending, step: step)
                shard.core.forget(
                    continuingFrom: mark, of: log, isPending: isPending, now: clock,
                    effects: &shard.effects)
            case .settle(let touched, let mark):
                if touched != nil {
                    shard.memory.showAgain(from: mark, isExcused: judges.log.hasLostUnseen)
                } else {
                    shard.memory.hideForGood()
                }
                shard.core.settle(touched, from: mark)
            case .standing(let standing):
                judges.answers.noteVouching(of: shard, until: standing)
                shard.core.setStanding(standing)
            case .topology(let frame): shard.core.setTopology(frame: frame, now: clock)
            case .configuration:
                shard.isConfigured = true
                shard.core.configure(settings.policies, fallback: settings.policy)
            case .published(let ticket, let position):
                shard.core.published(ticket: ticket, at: position)
            case .headKnown(let number, let head):
                shard.core.headKnown(number: number, head: head)
            case .lives(let previous): shard.core.setLastLife(previous)
            case .resume(let mark): tiers.resume(shard, at: mark, clock)
            case .memoryBudget(let bytes): shard.core.setMemoryBudget(bytes)
            case .loadEnded(let number, let outcome, let fill):
                try judges.loads.loadEnded(number, (outcome, fill), at: shard, clock)
            case .copies(let batch, let given): try store(batch, given, in: shard, clock)
            case .pulled(let pull, let batch, let given):
                let stored = shard.core.pulled(pull, batch, now: clock)
                if stored.count == 1, let given { try judges.stores.judgeCopied(given, by: shard) }
            case .disk(let outcome, let opening): tiers.opened(outcome, opening, by: shard, clock)
            }
        }
    }

    /// Answers requests, and sometimes stalls right before sending.
    private func takeRequests(_ shard: SimulatedShard, _ clock: Instant) throws(Violation) {
        guard !shard.requests.isEmpty else { return }
        step += 1
        let taken = Array(shard.requests.prefix(ShardLimits.framesPerTurnMax))
        shard.requests.removeFirst(taken.count)
        judges.answers.noteTaken(taken, by: shard, clock)
        let bytes = taken.flatMap(\.bytes)
        bytes.withUnsafeBytes { all in
            var frames: [RequestFrame] = []
            var offset = 0
            for request in taken {
                let range = offset..<offset + request.bytes.count
                frames.append(
                    RequestFrame(
                        peer: request.peer, bytes: UnsafeRawBufferPointer(rebasing: all[range])))
                offset = range.upperBound
            }
            let next = frames.withUnsafeBufferPointer { frames in
                shard.core.turn(
                    frames, from: 0, now: clock, into: &shard.replies, effects: &shard.effects)
            }
            precondition(next == frames.count, "a turn's few requests fit one group")
        }
        let isPaused =
            settings.faults.contains(.pauses) && !isCalm && dice.chance(perMille: 10)
        if isPaused || shard.isAboutToHang {
            try collect(shard)
            shard.isHeldUp = true
            let lease = 1_000 * settings.leaseMilliseconds
            let span =
                shard.isAboutToHang
                ? .microseconds(dice.number(in: lease / 2...8 * lease))
                : dice.span(microseconds: 1_000...2 * lease)
            shard.isAboutToHang = false
            note(.shard(shard.place), "is held up")
            timeline.add(.shardSends(shard.place), at: now + span)
        } else {
            try perform(shard)
        }
    }

    /// A shard stores a copy, and that is judged like any other store: a value that was read before
    /// a record that covers it, and that the shard has applied, must not be stored.
    private func store(
        _ batch: WarmUp.Batch, _ given: Answer.Given, in shard: SimulatedShard, _ clock: Instant
    ) throws(Violation) {
        guard shard.core.store(batch, now: clock).count == 1 else { return }
        try judges.stores.judgeCopied(given, by: shard)
    }

    /// Continues after a stall.
    func goOn(_ shard: SimulatedShard) throws(Violation) {
        let run = nodes.runs[shard.place.run]
        guard !run.isDead else { return }
        guard run.pauseCount == 0 else {
            return timeline.add(.shardSends(shard.place), at: now + .milliseconds(10))
        }
        shard.isHeldUp = false
        try perform(shard)
        nodes.wake(shard, at: soon())
    }

    private func passTime(_ shard: SimulatedShard, _ clock: Instant) throws(Violation) {
        if shard.core.hasWaiting {
            step += 1
            repeat {
                shard.core.finishWaiting(
                    now: clock, into: &shard.replies, effects: &shard.effects)
                if shard.replies.entries.isEmpty && shard.effects.isEmpty { break }
                try perform(shard)
            } while shard.core.hasWaiting
        }
        if shard.attendant != nil, shard.core.isOverBudget {
            shard.core.shrink(now: clock)
            try perform(shard)
        }
        shard.core.noteDrained(effects: &shard.effects)
        if !shard.effects.isEmpty { try perform(shard) }
        guard shard.nextTick <= clock else { return }
        tiers.noteFreeBytes(shard)
        shard.core.tick(now: clock)
        if shard.attendant != nil {
            tiers.retry(shard, clock)
            try perform(shard)
        }
        let isUrgent = shard.attendant != nil && shard.core.isTickUrgent
        shard.nextTick = clock.advanced(
            by: isUrgent ? ShardLimits.urgentTickInterval : ShardLimits.tickInterval)
    }

    /// Decodes the core's replies, and judges them as of their decision.
    private func collect(_ shard: SimulatedShard) throws(Violation) {
        try judges.loads.noteLoads(of: shard)
        for entry in shard.replies.entries {
            var answer = try Answer(shard.replies.bytes(of: entry), from: shard.place)
            answer.step = step
            shard.pending.removeAll { $0 == answer.requestID }
            try judges.answers.judge(answer, of: shard)
            answer.given = given(by: answer, shard, shard.replies.bytes(of: entry))
            shard.outbox.append(
                SimulatedShard.Reply(answer: answer, claimsFresh: entry.claimsFresh))
        }
        shard.replies.removeAll()
    }

    /// What an answer gives to a node that copies, if anything.
    private func given(
        by answer: Answer, _ shard: SimulatedShard, _ bytes: UnsafeRawBufferPointer
    ) -> Answer.Given? {
        guard case .copying = requests[answer.requestID]?.purpose,
            let outcome = answer.outcomes.first, outcome.status == .hit
        else { return nil }
        let number = Fill.number(of: outcome.value)
        return shard.memory.holdings[number].map {
            Answer.Given(
                frame: [UInt8](bytes), fill: shard.memory.held(origin.fills[number]), holding: $0)
        }
    }

    /// Sends the replies and performs the effects.
    func perform(_ shard: SimulatedShard) throws(Violation) {
        if shard.attendant != nil { tiers.perform(shard) }
        try collect(shard)
        let run = nodes.runs[shard.place.run]
        if !shard.outbox.isEmpty {
            let mayClaimFresh = shard.core.mayClaimFresh(now: run.clock.reading(at: now))
            for reply in shard.outbox {
                if reply.claimsFresh && !mayClaimFresh {
                    count(.lapsedAnswers)
                } else {
                    if reply.claimsFresh { try judges.leases.judgeDebts(shard) }
                    nodes.network.send(
                        .answer(reply.answer), over: run.links.answers, run: run.number)
                }
            }
            shard.outbox.removeAll(keepingCapacity: true)
        }
        guard !shard.effects.isEmpty else { return }
        var rings = false
        for effect in shard.effects {
            if case .applied(_, isAwaited: false) = effect {} else { rings = true }
            switch effect {
            case .publish(let request): run.letters.append(.publish(request))
            case .askHead(let number):
                run.letters.append(.askHead(ShardIndex(shard.place.shard), number))
            case .applied(let mark, _):
                run.letters.append(.applied(ShardIndex(shard.place.shard), mark))
            case .arriving(let moves): shard.arrivals += moves
            case .pull(let pull): copying.ask(pull, for: shard)
            case .gives: run.letters.append(.gives)
            case .drained: run.letters.append(.drained(ShardIndex(shard.place.shard)))
            case .drain: preconditionFailure("no client of this world drains a node")
            case .load(let load):
                nodes.postToOrigin(.load(shard: shard.place.shard, load), run)
            case .hasten(let number):
                nodes.postToOrigin(.hasten(shard: shard.place.shard, number: number), run)
            case .leavePeer: preconditionFailure("no node of this world asks another")
            case .write, .askQueue:
                preconditionFailure("the origin of this world is told of no write")
            }
        }
        shard.effects.removeAll(keepingCapacity: true)
        if rings { nodes.wake(run, at: soon()) }
    }
}
