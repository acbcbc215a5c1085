import CacheInvalidation
package import CacheModel
import CacheWire

/// The end of a turn, and messages of the live channel.
extension PublishingCore {
    /// A subscriber joined the live channel: a heartbeat with the head follows soon.
    package mutating func subscribed(now: Instant) { heartbeat.requestSoon(now: now) }

    /// Ends a turn: expires grants, appends and broadcasts queued requests, sends the answers that
    /// are due, and sends a heartbeat if one is due.
    ///
    /// Call it once after all input of the turn was passed in, and no later than ``nextDeadline``.
    package mutating func tick(now: Instant, into actions: inout [PublisherAction]) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        let before = output.actions.count
        replays.forgetSent()
        floorServer.forgetSent()
        expireGrants(now: now)
        decideHistory(now: now)
        if let cluster = history.takeUnstored(in: log, now: now, turnEndedAt: turnEndedAt) {
            output.actions.append(.keepCluster(cluster))
        }
        answerGreetings()
        if log.hasHistory {
            queueDue(now: now)
            continueOwnership(now: now)
            commit(now: now)
        } else {
            dropOverdue(now: now)
        }
        if log.isShared {
            appender.answerOverdue(now: now, shares: &admission.shares, output: &output)
        }
        if let number = confirmations.next() { output.actions.append(.confirm(number)) }
        if let table = pacings.takeUnstored(now: now, turnEndedAt: turnEndedAt) {
            output.actions.append(.keep(table))
        }
        if heartbeat.isDue(at: now) { nodes.runs.settle(nodes.grants, now: now) }
        storeRuns(now: now)
        if let bytes = ownership.takeUnstored(in: log, now: now, turnEndedAt: turnEndedAt) {
            output.actions.append(.keepSlots(bytes))
        }
        answerReceipts(at: now)
        replays.serve(from: log, output: &output)
        refuseRevokedFollows(now: now)
        follows.serve(from: log, now: now, output: &output)
        admission.pay(for: output.actions[before...], now: now)
        admission.auditOmitted(now: now, to: &output)
        turnEndedAt = now
        if heartbeat.isDue(at: now) {
            nodes.dropSilent(now: now, output: &output)
            let gone = ownership.abandoned(plan, nodes.grants, now: now)
            changeMembers(now: now) { $0.drop(gone) }
        }
        if log.hasHistory, heartbeat.isDue(at: now) { beat(now: now) }
    }

    /// Removes expired grants, and ends all waits for their runs.
    mutating func expireGrants(now: Instant) {
        for run in nodes.grants.expire(at: now) {
            output.statistics.grantsExpired += 1
            receipts.tracker.ended(run, now: now)
        }
    }

    /// When ``tick(now:into:)`` must be called even if nothing comes in.
    package var nextDeadline: Instant {
        var deadlines = [
            nodes.grants.nextEnd, receipts.tracker.nextDeadline,
            follows.nextDue(log: log, turnEndedAt: turnEndedAt),
            pacings.storingDue(turnEndedAt: turnEndedAt),
            nodes.runs.storingDue(for: log, turnEndedAt: turnEndedAt),
            history.storingDue(in: log, turnEndedAt: turnEndedAt),
        ]
        if log.hasHistory {
            deadlines += [
                heartbeat.next, echoes.nextDue, pacings.table.nextDue,
                ownership.nextDue(in: log, turnEndedAt: turnEndedAt),
            ]
        } else {
            deadlines.append(
                nodes.grants.isEveryNodeHeard ? heartbeat.next : nodes.grants.greetingsEnd)
        }
        if log.isStanding, !replays.isEmpty { deadlines.append(turnEndedAt) }
        if !log.hasHistory || appender.isAppending { deadlines += appender.queue.map(\.deadline) }
        if log.isShared { deadlines.append(appender.nextOverdue) }
        return deadlines.compactMap(\.self).min() ?? heartbeat.next
    }

    /// Stops the publisher: each wait gets the receipt as known by now, and each request that was
    /// not appended is refused. Later messages are for the next publisher: an invalidation is
    /// refused the same way, and all others are ignored.
    package mutating func stop(into actions: inout [PublisherAction]) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        isStopping = true
        appender.stop(shares: &admission.shares, output: &output)
        pacings.stop(output: &output)
        answerReceipts(at: Instant(nanoseconds: .max))
    }

    var versions: SharedVersions {
        SharedVersions(
            configRevision: plan.configuration.revision, topologyVersion: topology.version)
    }

    /// Sends records to every subscriber, and schedules a heartbeat soon: it shows a subscriber
    /// that the end of a burst was lost. A steady stream shows a gap by itself, and a heartbeat
    /// after each of its records would cost as much as the record.
    ///
    /// - Parameter isAwaited: whether a client waits for the receipt: nodes acknowledge at once.
    mutating func broadcast(_ batch: [SealedRecord], isAwaited: Bool, now: Instant) {
        output.broadcast(batch, isLazy: !isAwaited)
        heartbeat.requestSoon(now: now)
    }

    private mutating func beat(now: Instant) {
        heartbeat.end(isSent: log.isStanding, interval: plan.heartbeat, now: now)
        guard log.isStanding else { return }
        output.statistics.heartbeats += 1
        let beat = Heartbeat(log: log.id, head: log.head, versions: versions)
        output.broadcast { beat.encode(into: &$0) }
    }
}
