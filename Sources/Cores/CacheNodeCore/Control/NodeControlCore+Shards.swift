import CacheInvalidation
package import CacheModel
import CacheWire

/// Requests of the shards: publishes, strong reads, and the order to leave.
extension NodeControlCore {
    // MARK: Publishes

    /// A shard asks to invalidate scopes on all nodes. Exactly one `.published` answers its ticket,
    /// at once or within ``PublisherRotation/publishTimeout``.
    ///
    /// While the publisher is away it waits: a publisher that is only restarting is often back in
    /// time, and of several another one leads by then.
    package mutating func publish(
        _ request: ShardPublishRequest, now: Instant, into actions: inout [NodeControlAction]
    ) {
        precondition(request.operation != .none, "what may be sent twice has an operation id")
        statistics.publishes += 1
        let requestID = nextRequestID(.publish)
        let timeout = link.rotation.publishTimeout
        let frame = request.frame(
            requestID: requestID, from: identity.node, of: membership.cluster, timeout: timeout)
        let entry = PendingPublishes.Entry(
            shard: request.shard, ticket: request.ticket, frame: frame,
            deadline: now.advanced(by: timeout),
            sendCount: link.isJoined ? 1 : 0)
        let refusal =
            isStopped
            ? .leaving
            : publishes.refusal(scopeCount: request.scopes.count, frameBytes: frame.count)
        if let refusal { return answer(entry, .failure(refusal), into: &actions) }
        if link.isJoined { actions.append(.sendControl(bytes: frame)) }
        publishes.add(entry, requestID: requestID)
    }

    mutating func answer(
        _ entry: PendingPublishes.Entry, _ result: Result<LogPosition, PublishFailure>,
        into actions: inout [NodeControlAction]
    ) {
        if case .failure = result { statistics.publishFailures += 1 }
        actions.append(.published(shard: entry.shard, ticket: entry.ticket, result: result))
    }

    // MARK: Strong reads

    /// A shard requests the publisher's head, not older than this moment. `.headKnown` answers it
    /// once the publisher has answered; there is no answer while the publisher is away.
    ///
    /// - Parameter number: the shard's own, each greater than the one before it. An answer to one
    ///   answers every earlier one.
    package mutating func askHead(
        _ shard: ShardIndex, number: UInt64, now: Instant, into actions: inout [NodeControlAction]
    ) {
        if isStopped { return }
        heads.add(number, of: shard)
        continueHeads(now: now, into: &actions)
    }

    /// Sends the next request when it is due.
    mutating func continueHeads(now: Instant, into actions: inout [NodeControlAction]) {
        guard link.isJoined, applied != .none, heads.isDue(now: now) else { return }
        statistics.headQuestions += 1
        let ping = Ping(
            incarnation: identity.incarnation, sentAt: now.nanoseconds, applied: applied,
            state: standing.state, purpose: .head)
        let requestID = send(.head, into: &actions) { ping.encode(requestID: $0, into: &$1) }
        heads.sent(requestID: requestID, now: now)
    }

    /// The head of a log that this node does not follow, or doubts, is ignored: the request is
    /// repeated until the two agree. So is a head whose number belongs to another record here, as
    /// after a log that lost its end unnoticed: passing that number would prove nothing.
    mutating func receivedHead(
        _ pong: Pong, requestID: UInt64, now: Instant, into actions: inout [NodeControlAction]
    ) {
        guard pong.log == subscriber.log else { return }
        if subscriber.contradicts(pong.head) {
            perform(
                subscriber.receivedHeartbeat(log: pong.log, head: pong.head), now: now,
                into: &actions)
        }
        guard !subscriber.isDiverged, let answered = heads.answered(requestID: requestID) else {
            return
        }
        for (shard, number) in answered {
            actions.append(.headKnown(shard: shard, number: number, head: pong.head.position))
        }
        continueHeads(now: now, into: &actions)
    }

    // MARK: Leaving

    /// The node accepts nothing new, finishes accepted work, and then emits `.leave`, once.
    package mutating func drain(now: Instant, into actions: inout [NodeControlAction]) {
        guard drainState == .serving else { return }
        let endsAt = now.advanced(by: NodeControlLimits.drainPatience)
        drainState = .draining(endsAt: endsAt, drainedShards: [])
        actions.append(.report(.draining))
        pingAtOnce(now: now)
        endTurn(now: now, into: &actions)
    }

    /// No work is under way any more in this shard.
    package mutating func shardDrained(_ shard: ShardIndex) { drainState.shardDrained(shard) }

    /// The next owner of slots is given entries by a shard.
    package mutating func shardGives(now: Instant) { drainState.noteGiving(now: now) }

    /// Leaves when it is due.
    mutating func continueDraining(now: Instant, into actions: inout [NodeControlAction]) {
        let isFinished = drainState.advance(
            shardCount: shards.count, isPublishing: publishes.count > 0,
            isBySlots: membership.isBySlots, now: now)
        guard let isFinished else { return }
        actions.append(.report(.drained(isFinished: isFinished)))
        actions.append(.leave)
    }
}
