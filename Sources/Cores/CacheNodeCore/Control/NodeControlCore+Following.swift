import CacheInvalidation
package import CacheModel
import CacheWire

/// Following the log: decisions of the subscriber, and positions applied by the shards.
extension NodeControlCore {
    mutating func received(
        _ run: RecordRun, requestID: UInt64, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        guard let head = run.head else { return }
        if question?.requestID == requestID { question = nil }
        let before = subscriber.applied.position
        expectAck(of: run.records)
        perform(subscriber.receivedReplay(run.records, head: head), now: now, into: &actions)
        let count = run.records.count { $0.position > before }
        statistics.replayedRecords += count
        replayedCount += count
        if subscriber.isAtHead, replayedCount > 0 {
            actions.append(.report(.replayed(recordCount: replayedCount)))
            replayedCount = 0
        }
    }

    /// Only the answer to the current request is used: an older one may be about a mark that was
    /// left long ago.
    mutating func received(
        _ truncated: Truncated, requestID: UInt64, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        guard let question, question.requestID == requestID else { return }
        self.question = nil
        let isSameLife =
            truncated.log == subscriber.log
            && truncated.head.position.epoch == question.after.position.epoch
        truncatedAt = isSameLife ? question.after : nil
        perform(
            subscriber.receivedTruncated(
                asked: question.after, log: truncated.log, head: truncated.head),
            now: now, into: &actions)
        truncatedAt = nil
        continueFloors(now: now, into: &actions)
    }

    /// A shard has applied everything up to `mark`.
    ///
    /// A mark before the last forgetting was sent before the shard learned of it, and is ignored.
    package mutating func shardApplied(
        _ shard: ShardIndex, mark: LogMark, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        precondition(shardMarks.indices.contains(shard.rawValue), "there is no such shard")
        guard !isStopped, mark.position >= forgottenBefore,
            mark.position >= shardMarks[shard.rawValue].position
        else { return }
        shardMarks[shard.rawValue] = mark
        let isBehind = { (one: LogMark, other: LogMark) in one.position < other.position }
        let speaker =
            guards.isOn(.leastShard) ? shardMarks.min(by: isBehind) : shardMarks.max(by: isBehind)
        guard let least = speaker, least != applied else { return }
        let isFirst = applied == .none
        applied = least
        lease.applied(least.position)
        if isFirst { pingAtOnce(now: now) }
        if isQuestionDue, applied == subscriber.applied {
            perform(subscriber.receivedDoubt(), now: now, into: &actions)
        }
    }

    /// A caller may be waiting until these are applied.
    mutating func expectAck(of records: [SealedRecord]) {
        guard let last = records.last else { return }
        awaitedThrough = max(awaitedThrough, last.position)
    }

    private mutating func apply(
        _ records: [SealedRecord], now: Instant, into actions: inout [NodeControlAction]
    ) {
        statistics.appliedRecords += records.count
        noteNewerForms(records, now: now, into: &actions)
        let isAwaited = records.first.map { $0.position <= awaitedThrough } ?? false
        if !isAwaited, shardsHeardAt == nil {
            shardsHeardAt = now.advanced(by: NodeControlLimits.ackSpacing)
        }
        actions.append(.apply(records: records, isAwaited: isAwaited))
    }

    /// Turns the subscriber's decisions into actions, and reports their consequences.
    mutating func perform(
        _ decisions: [Subscriber.Action], now: Instant, into actions: inout [NodeControlAction]
    ) {
        for decision in decisions {
            switch decision {
            case .apply(let records):
                apply(records, now: now, into: &actions)
            case .requestReplay(let after, let log):
                requestReplay(after: after, log: log, now: now, into: &actions)
            case .forget(let mark, _, let cause):
                forget(continueFrom: mark, cause: cause, now: now, into: &actions)
            }
        }
        noticeGap(into: &actions)
        noticeDivergence(now: now, into: &actions)
    }

    /// Requests a replay, but not the same one again within a short time: heartbeats follow every
    /// burst, and a long answer may be on its way.
    ///
    /// The request is also a claim, so it waits until every shard has applied the mark.
    private mutating func requestReplay(
        after mark: LogMark, log: LogID, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard case .joined = phase else { return }
        isQuestionDue = mark != applied
        if isQuestionDue { return }
        var requestID = nextRequestID(.resume)
        if let question, question.after == mark {
            guard now.elapsed(since: question.askedAt) >= NodeControlLimits.replayPatience else {
                return
            }
            requestID = question.requestID
        }
        question = ReplayQuestion(requestID: requestID, after: mark, askedAt: now)
        statistics.replayRequests += 1
        let resume = Resume(
            incarnation: identity.incarnation, log: log, after: mark,
            limit: WireLimits.replayRecordsMax)
        send(into: &actions) { resume.encode(requestID: requestID, into: &$0) }
    }

    /// Continues at another position. No lease remains, and no shard counts as having reached it
    /// until it reports so.
    private mutating func forget(
        continueFrom mark: LogMark, cause: Subscriber.ForgetCause, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        let epochChanged = mark.position.epoch != forgottenBefore.epoch
        forgottenBefore = mark.position
        statistics.forgettings += 1
        topology.forget()
        shardMarks = Array(repeating: .none, count: shardMarks.count)
        applied = .none
        awaitedThrough = mark.position
        lease.revoke()
        lease.applied(.none)
        question = nil
        isQuestionDue = false
        replayedCount = 0
        trust = .awaiting
        if case .joined(var joined) = phase {
            joined.pingAt = nil
            phase = .joined(joined)
        }
        // Every shard had applied the mark of the replay request; see requestReplay.
        floorsQuest = truncatedAt.map {
            FloorsQuest(
                log: subscriber.log, reached: $0, goesOnFrom: mark, now: now, guards: guards)
        }
        actions.append(
            .forget(
                continueFrom: mark, epochChanged: epochChanged, isPending: floorsQuest != nil))
        actions.append(.report(.forgot(cause: cause, continueFrom: mark.position)))
    }

    private mutating func noticeGap(into actions: inout [NodeControlAction]) {
        guard subscriber.isRecovering else { return hasGap = false }
        guard !hasGap else { return }
        hasGap = true
        statistics.gaps += 1
        actions.append(
            .report(
                .gap(
                    after: subscriber.applied.position, missingCount: subscriber.missingCount)))
    }

    /// While the publisher does not confirm this node's position, nothing is fresh. Once it is
    /// confirmed, the lease is requested at once.
    private mutating func noticeDivergence(
        now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard subscriber.isDiverged else {
            if hasDiverged { pingAtOnce(now: now) }
            hasDiverged = false
            return
        }
        lease.revoke()
        guard !hasDiverged else { return }
        hasDiverged = true
        statistics.divergences += 1
        actions.append(
            .report(.diverged(applied: subscriber.applied.position, log: subscriber.log)))
    }
}
