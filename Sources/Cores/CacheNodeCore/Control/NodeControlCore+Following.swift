import CacheInvalidation
import CacheMemory
package import CacheModel
import CacheWire

/// Following the log: decisions of the subscriber, and positions applied by the shards.
extension NodeControlCore {
    mutating func received(
        _ run: RecordRun, requestID: UInt64, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        guard let head = run.head else { return }
        _ = replays.answered(requestID: requestID)
        let before = subscriber.applied.position
        acks.expect(run.records)
        perform(subscriber.receivedReplay(run.records, head: head), now: now, into: &actions)
        let count = run.records.count { $0.position > before }
        statistics.replayedRecords += count
        if let total = replays.replayed(count, isAtHead: subscriber.isAtHead) {
            actions.append(.report(.replayed(recordCount: total)))
        }
    }

    mutating func received(
        _ truncated: Truncated, requestID: UInt64, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        guard let after = replays.answered(requestID: requestID) else { return }
        let isSameEpoch =
            truncated.log == subscriber.log
            && truncated.head.position.epoch == after.position.epoch
        perform(
            subscriber.receivedTruncated(
                asked: after, log: truncated.log, head: truncated.head),
            floorsSince: isSameEpoch ? after : nil, now: now, into: &actions)
        continueFloors(now: now, into: &actions)
    }

    /// A shard has applied everything up to `mark`.
    ///
    /// A mark before the last forgetting was sent before the shard learned of it, and is ignored.
    package mutating func shardApplied(
        _ shard: ShardIndex, mark: LogMark, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        let isFirst = applied == .none
        guard !isStopped, shards.report(mark, of: shard) else { return }
        authority.lease.applied(applied.position)
        if isFirst { pingAtOnce(now: now) }
        if replays.isWaiting, applied == subscriber.applied {
            perform(subscriber.receivedDoubt(), now: now, into: &actions)
        }
    }

    /// Turns the subscriber's decisions into actions, and reports their consequences.
    ///
    /// - Parameter floorsSince: the position from which floors may be requested, if it forgets.
    mutating func perform(
        _ decisions: [Subscriber.Action], floorsSince: LogMark? = nil, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        for decision in decisions {
            switch decision {
            case .apply(let records):
                apply(records, now: now, into: &actions)
            case .requestReplay(let after, let log):
                requestReplay(after: after, log: log, now: now, into: &actions)
            case .forget(let mark, _, let cause):
                forget(continueFrom: mark, floorsSince: floorsSince, now: now, into: &actions)
                actions.append(.report(.forgot(cause: cause, continueFrom: mark.position)))
            }
        }
        reportCondition(now: now, into: &actions)
    }

    private mutating func apply(
        _ records: [SealedRecord], now: Instant, into actions: inout [NodeControlAction]
    ) {
        statistics.appliedRecords += records.count
        // The report of the new members may not have arrived, or may be from before.
        if records.contains(where: \.mayBeAboutOwners) { topology.forget() }
        let unknown = records.filter(\.record.isOfNewerForm)
        statistics.newerRecords += unknown.count
        if let last = unknown.last, let total = newerForms.add(unknown.count, now: now) {
            actions.append(.report(.newerForm(position: last.position, recordCount: total)))
        }
        let isAwaited = acks.handOut(records, now: now)
        actions.append(.apply(records: records, isAwaited: isAwaited))
    }

    /// Requests a replay once every shard has applied the mark: the request is also a claim.
    private mutating func requestReplay(
        after mark: LogMark, log: LogID, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard link.isJoined else { return }
        guard mark == applied else { return replays.isWaiting = true }
        let nextID = nextRequestID(.resume)
        guard let requestID = replays.request(after: mark, nextID: nextID, now: now) else {
            return
        }
        statistics.replayRequests += 1
        let resume = Resume(
            incarnation: identity.incarnation, log: log, after: mark,
            limit: WireLimits.replayRecordsMax)
        send(into: &actions) { resume.encode(requestID: requestID, into: &$0) }
    }

    /// Continues at another position. No lease remains, and no shard counts as having reached it
    /// until it reports so.
    private mutating func forget(
        continueFrom mark: LogMark, floorsSince: LogMark?, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        let epochChanged = mark.position.epoch != shards.continuedFrom.epoch
        statistics.forgettings += 1
        topology.forget()
        shards.forget(continueFrom: mark.position)
        acks.awaitedThrough = mark.position
        authority.forget()
        replays.forget()
        link.schedulePing(at: nil)
        // Every shard had applied the mark of the replay request; see requestReplay.
        floors = FloorsRequests(
            floorsSince.map {
                FloorsQuery(
                    log: subscriber.log, reached: $0, continuedFrom: mark, now: now, guards: guards)
            })
        actions.append(
            .forget(continueFrom: mark, epochChanged: epochChanged, isPending: floors.isPending))
    }

    /// While the publisher does not confirm this node's position, nothing is fresh. Once it is
    /// confirmed, the lease is requested at once.
    private mutating func reportCondition(now: Instant, into actions: inout [NodeControlAction]) {
        let before = replays.condition
        let condition = ReplayRequests.Condition(of: subscriber)
        replays.condition = condition
        let applied = subscriber.applied.position
        if condition == .diverged {
            authority.lease.revoke()
        } else if before == .diverged {
            pingAtOnce(now: now)
        }
        switch condition {
        case before, .contiguous: break
        case .gap:
            statistics.gaps += 1
            actions.append(
                .report(.gap(after: applied, missingCount: subscriber.missingCount)))
        case .diverged:
            statistics.divergences += 1
            actions.append(.report(.diverged(applied: applied, log: subscriber.log)))
        }
    }
}

/// Which entries a node may keep after it was away for longer than the log's retention.
///
///     TRUNCATED ─▶ forget, pending ─▶ FLOORS, bucket 0 ─▶ FLOOR SNAPSHOT ─▶ FLOORS, next bucket
///                                                              │ the last
///                                                              ▼
///                          settle: uncovered entries are served again; others are withheld
///
/// Everything is hidden first, so that nothing depends on an answer.
extension NodeControlCore {
    /// Sends the next request when it is due, or gives up.
    mutating func continueFloors(now: Instant, into actions: inout [NodeControlAction]) {
        perform(floors.next(isJoined: link.isJoined, now: now), now: now, into: &actions)
    }

    mutating func perform(
        _ step: FloorsRequests.Step?, now: Instant, into actions: inout [NodeControlAction]
    ) {
        switch step {
        case .request(let query):
            let request = query.request(by: identity.incarnation)
            let requestID = send(.floors, into: &actions) {
                request.encode(requestID: $0, into: &$1)
            }
            floors.sent(requestID: requestID, now: now)
        case .settle(let outcome):
            if outcome.isLearned { statistics.floorSnapshots += 1 }
            actions += outcome.actions
        case nil: break
        }
    }
}
