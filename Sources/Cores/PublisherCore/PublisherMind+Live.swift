import CacheInvalidation
package import CacheModel
import CacheWire

/// The end of a turn, and messages of the live channel.
extension PublisherMind {
    /// A subscriber joined the live channel: a heartbeat with the head follows soon.
    package mutating func subscribed(now: Instant) { beatSoon(now: now) }

    /// Schedules a heartbeat for the end of this turn, or a little later if one was just sent.
    private mutating func beatSoon(now: Instant) {
        let earliest = lastHeartbeat?.advanced(by: PublisherLimits.heartbeatSpacing) ?? now
        nextHeartbeat = min(nextHeartbeat, max(now, earliest))
    }

    /// Ends a turn: expires grants, appends and broadcasts queued requests, sends the answers that
    /// are due, and sends a heartbeat if one is due.
    ///
    /// Call it once after all input of the turn was passed in, and no later than ``nextDeadline``.
    package mutating func tick(now: Instant, into actions: inout [PublisherAction]) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        let before = output.actions.count
        replaysSent.removeAll(keepingCapacity: true)
        floorsSent.removeAll(keepingCapacity: true)
        expireGrants(now: now)
        decideHistory(now: now)
        keepCluster(now: now)
        answerGreetings()
        if log.hasHistory {
            queueEchoes(now: now)
            queueSlices(now: now)
            continueMembership(now: now)
            commit(now: now)
        } else {
            dropOverdue(now: now)
        }
        keepPacings(now: now)
        if nextHeartbeat <= now { settleLives(now: now) }
        keepLives(now: now)
        answerReceipts(at: now)
        answerReplays()
        answerFollows(now: now)
        pay(for: output.actions[before...], now: now)
        noteLeftOut(now: now)
        turnEndedAt = now
        if nextHeartbeat <= now { dropSilentRuns(now: now) }
        if log.hasHistory, nextHeartbeat <= now { beat(now: now) }
    }

    /// Whether the position of the log may be reported: it is known, and its epoch is stored with
    /// its records. Until the epoch is stored the head is not sent; nodes lose their leases
    /// meanwhile.
    var isStanding: Bool { log.hasHistory && log.isBegun }

    var whyNotStanding: String {
        log.hasHistory
            ? "the publisher cannot put the beginning of its log's epoch on its disk"
            : "the publisher has just started and asks its nodes for its log's position"
    }

    /// Removes expired grants, and ends all waits for their runs.
    mutating func expireGrants(now: Instant) {
        for run in grants.expire(at: now) {
            output.statistics.grantsExpired += 1
            receipts.ended(run, now: now)
        }
    }

    /// When ``tick(now:into:)`` must be called even if nothing comes in.
    package var nextDeadline: Instant {
        var deadlines = [grants.nextEnd, receipts.nextDeadline].compactMap { $0 }
        if log.hasHistory {
            deadlines.append(nextHeartbeat)
            if let due = echoes.nextDue { deadlines.append(due) }
            if let due = pacings.nextDue { deadlines.append(due) }
            if let due = membership.nextDue { deadlines.append(due) }
        } else {
            deadlines.append(grants.isEveryNodeHeard ? nextHeartbeat : grants.greetingsEnd)
        }
        if isStanding, !replays.isEmpty { deadlines.append(turnEndedAt) }
        if let due = followsDue { deadlines.append(due) }
        if let due = paceKeepingDue { deadlines.append(due) }
        if let due = livesKeepingDue { deadlines.append(due) }
        if let due = clusterKeepingDue { deadlines.append(due) }
        if !log.hasHistory || appending != nil { deadlines += queue.map(\.deadline) }
        return deadlines.min() ?? nextHeartbeat
    }

    /// Stops the publisher: each wait gets the receipt as known by now, and each request that was
    /// not appended is refused. Later messages are for the next publisher: an invalidation is
    /// refused the same way, and all others are ignored.
    package mutating func stop(into actions: inout [PublisherAction]) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        isStopping = true
        for queued in queue {
            guard let requester = queued.requester else { continue }
            waitShares.leave(requester.principal, queued.bytes)
            refuseAtTheEnd(requester)
        }
        queue = []
        queuedBytes = 0
        for unknown in appending?.placed ?? [] {
            let sentence =
                "the publisher is stopping and its log has not answered; what was asked may have "
                + "been invalidated"
            if let requester = unknown.queued.requester {
                waitShares.leave(requester.principal)
                output.refuse(requester, .unavailable, sentence)
            }
        }
        appending = nil
        refusePaceOrders()
        answerReceipts(at: Instant(nanoseconds: .max))
    }

    /// A client that receives this refusal retries; by then the next publisher may run.
    mutating func refuseAtTheEnd(_ requester: Requester) {
        let sentence = "the publisher is stopping; nothing was invalidated, try again"
        output.refuse(requester, .busy, sentence)
    }

    var versions: SharedVersions {
        SharedVersions(
            configRevision: plan.configuration.revision, topologyVersion: topologyVersion)
    }

    /// Sends records to every subscriber, in frames of a bounded size, and schedules a heartbeat
    /// soon: it shows a subscriber that the end of a burst was lost. A steady stream shows a gap by
    /// itself, and a heartbeat after each of its records would cost as much as the record.
    ///
    /// - Parameter isAwaited: whether a client waits for the receipt: nodes acknowledge at once.
    mutating func broadcast(
        _ batch: [SealedRecord], isAwaited: Bool, now: Instant
    ) {
        var rest = batch[...]
        while !rest.isEmpty {
            let count = Self.prefix(of: rest, thatFits: PublisherLimits.broadcastBytesMax)
            let run = RecordRun(records: Array(rest.prefix(count)), isLazy: !isAwaited)
            output.broadcast { run.encode(requestID: 0, into: &$0) }
            rest = rest.dropFirst(count)
        }
        beatSoon(now: now)
    }

    /// How many of `records` fit into a message of `bytesMax`: at least one.
    static func prefix(
        of records: ArraySlice<SealedRecord>, thatFits bytesMax: Int
    ) -> Int {
        var bytes = 1_024
        var count = 0
        for record in records {
            bytes += record.bytes.count
            guard count == 0 || bytes <= bytesMax && count < WireLimits.replayRecordsMax else {
                break
            }
            count += 1
        }
        return count
    }

    private mutating func beat(now: Instant) {
        nextHeartbeat = now.advanced(by: plan.heartbeat)
        guard isStanding else { return }
        output.statistics.heartbeats += 1
        let heartbeat = Heartbeat(log: log.id, head: log.head, versions: versions)
        output.broadcast { heartbeat.encode(into: &$0) }
        lastHeartbeat = now
    }
}
