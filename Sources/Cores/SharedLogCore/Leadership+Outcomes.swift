import CacheInvalidation
package import CacheModel

/// The answers of the store.
extension Leadership {
    /// A request has an outcome.
    package mutating func finished(
        _ purpose: Purpose, _ outcome: StoreOutcome, now: Instant
    ) -> [Action] {
        guard let sent = underWay.removeValue(forKey: purpose) else { return [] }
        var actions: [Action] = []
        switch outcome {
        case .success(let answer):
            if failureCount > 0 { actions.append(.report(.reachable)) }
            failureCount = 0
            actions += answered(purpose, answer, sent, now: now)
        case .failure(let failure):
            if failureCount == 0 { actions.append(.report(.unreachable(failure.reason))) }
            failureCount += 1
            retryDue = now.advanced(by: SharedLogLimits.pause(after: failureCount))
            pollDue = max(pollDue, retryDue)
            if sent.term == latestTerm { actions += failed(purpose, failure, now: now) }
        }
        return actions + tick(now: now)
    }

    private mutating func answered(
        _ purpose: Purpose, _ answer: StoreAnswer, _ sent: UnderWay, now: Instant
    ) -> [Action] {
        // An answer for a term or a campaign that is over says nothing of this one.
        let isOfNow = sent.term == latestTerm || purpose == .poll
        switch (purpose, answer.content) {
        case (.poll, .transaction(_, let pairs)):
            return polled(pairs, sent, at: answer.revision, now: now)
        case (.grantLease, .lease(let lease)):
            guard isOfNow, case .campaigning(let leader, nil) = phase else {
                return send(.revoke, .revoke(lease), now: now)
            }
            phase = .campaigning(leader, lease: (lease, sent.sentAt))
            return []
        case (.campaign, .transaction(_, let pairs)) where isOfNow:
            return campaigned(pairs.first?.first?.value, now: now)
        case (.readState, .transaction(_, let pairs)) where isOfNow:
            return readState(pairs, now: now)
        case (.keepAlive, .keptAlive(let isKnown)) where isOfNow:
            guard isKnown else { return lose(to: nil, now: now) }
            update { $0.provenAt = max($0.provenAt, sent.sentAt) }
            return []
        case (.confirm, .transaction(_, let pairs)) where isOfNow:
            return confirmed(pairs, sent, now: now)
        case (.reportFurthest, _):
            reported = furthest
            return []
        case (.resign, _):
            guard case .resigning(let term) = phase else { return [] }
            return resigned(term, now: now)
        default: return []
        }
    }

    private mutating func failed(
        _ purpose: Purpose, _ failure: StoreFailure, now: Instant
    ) -> [Action] {
        switch (purpose, phase) {
        case (.grantLease, .campaigning): return giveUp(now: now)
        case (.campaign, .campaigning):
            // Without its lease the term cannot begin any more, and an earlier attempt that had
            // succeeded has ended with it.
            if case .refused = failure { return giveUp(now: now) }
            return []
        case (.resign, .resigning(let term)): return resigned(term, now: now)
        default: return []
        }
    }

    private mutating func giveUp(now: Instant) -> [Action] {
        defer { phase = .following(notBefore: now, unlessWarm: true) }
        guard case .campaigning(_, let lease?) = phase else { return [] }
        return send(.revoke, .revoke(lease.0), now: now)
    }

    // MARK: Following

    private mutating func polled(
        _ pairs: [[StorePair]], _ sent: UnderWay, at revision: UInt64, now: Instant
    ) -> [Action] {
        let progress: FollowedLog.Progress
        let (before, knewHead) = (log.window.head, log.head != nil)
        do throws(FollowedLog.Damage) {
            progress = try log.received(pairs, askedAt: sent.sentAt)
        } catch {
            pollDue = now.advanced(by: SharedLogLimits.pauseMax)
            idleReadCount += 1
            return [.report(.damaged(error))]
        }
        // A read that brings nothing new is not repeated at once, whatever the head says.
        let isReading = log.isBehind && (log.window.head != before || !knewHead)
        pollDue = isReading ? now : now.advanced(by: SharedLogLimits.pollSpacing)
        idleReadCount = isReading || !log.isBehind ? 0 : idleReadCount + 1
        // Judged at the head alone: before that the record of the mark may not have been read.
        if !log.isBehind { isSetBack = furthest.saw(log, at: revision) }
        var actions: [Action] = []
        if progress.leader != leader {
            leader = progress.leader
            actions.append(.report(.leaderChanged(leader)))
        }
        switch phase {
        case .following(let notBefore, let unlessWarm):
            if progress.isLed {
                return actions + (isSetBack ? reportFurthest(now: now) : [])
            }
            guard notBefore <= now || unlessWarm && !log.isBehind else { return actions }
            return actions + beginCampaign(now: now)
        case .campaigning:
            return actions + campaigned(pairs[0].first?.value, now: now)
        case .catchingUp, .leading, .resigning, .stopped: return actions
        }
    }

    /// The leader does not know that the store was set back, and opens an epoch when it does.
    private mutating func reportFurthest(now: Instant) -> [Action] {
        guard reported != furthest else { return [] }
        let report = StoreTransaction(
            changes: [.put(keys.furthest(of: own.publisher), furthest.bytes)])
        return send(.reportFurthest, .transaction(report), now: now)
    }

    // MARK: Campaigning

    /// The value of `leader` after an attempt, or as it was read meanwhile.
    private mutating func campaigned(_ value: [UInt8]?, now: Instant) -> [Action] {
        guard case .campaigning(let own, let lease?) = phase, let value else { return [] }
        guard value == own.bytes else {
            leader = LeaderValue(value)
            return [.report(.leaderChanged(leader))] + giveUp(now: now)
        }
        leader = own
        phase = .catchingUp(
            Term(
                leader: own, lease: lease.0, wonAt: now, provenAt: lease.askedAt,
                keepAliveDue: now), state: nil)
        return []
    }

    private mutating func readState(_ pairs: [[StorePair]], now: Instant) -> [Action] {
        guard case .catchingUp(let term, _) = phase, pairs.count == 3 else { return [] }
        guard pairs[0].first?.value == term.leader.bytes else {
            return lose(to: pairs[0].first.flatMap { LeaderValue($0.value) }, now: now)
        }
        var state: [StateName: [UInt8]] = [:]
        for name in StateName.allCases {
            state[name] = pairs[1].first { $0.key == keys.state(name) }?.value
        }
        phase = .catchingUp(term, state: state)
        seen = pairs[2].compactMap { FurthestMark($0.value) }
        idleReadCount = 0
        pollDue = now
        return []
    }

    // MARK: Leading

    private mutating func confirmed(
        _ pairs: [[StorePair]], _ sent: UnderWay, now: Instant
    ) -> [Action] {
        guard case .leading(let term) = phase, pairs.count == 2 else { return [] }
        guard pairs[0].first?.value == term.leader.bytes else {
            return lose(to: pairs[0].first.flatMap { LeaderValue($0.value) }, now: now)
        }
        confirmed(sent.confirms)
        let seen = pairs[1].compactMap { FurthestMark($0.value) }
        return [.confirmed(sent.confirms, seen: seen)]
    }

    /// The leader's own writes have moved the log.
    package mutating func wrote(_ head: HeadValue, at revision: UInt64) {
        furthest.wrote(head, at: revision)
        isSetBack = false
    }

    /// Another publisher leads, or none.
    package mutating func lose(to other: LeaderValue?, now: Instant) -> [Action] {
        guard term != nil else { return [] }
        // It is given up anyway, and the owner waits for that.
        if case .resigning(let term) = phase { return resigned(term, now: now) }
        let isLeading = if case .leading = phase { true } else { false }
        leader = other
        phase = .following(notBefore: now, unlessWarm: true)
        pollDue = now
        // The end of a term names the leader; a term that has not begun has no end.
        return isLeading ? [.end(.superseded(by: other))] : [.report(.leaderChanged(other))]
    }
}
