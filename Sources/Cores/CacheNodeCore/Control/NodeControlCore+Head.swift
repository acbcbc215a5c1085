package import CacheModel
import CacheInvalidation
import CacheWire

/// Strong reads: the publisher's current head, for shards that must not answer before they have
/// passed it.
extension NodeControlCore {
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
        guard case .joined = phase, applied != .none, heads.isDue(now: now) else { return }
        let requestID = nextRequestID(.head)
        heads.asked(requestID: requestID, now: now)
        statistics.headQuestions += 1
        let ping = Ping(
            incarnation: identity.incarnation, sentAt: now.nanoseconds, applied: applied,
            state: standing.state, purpose: .head)
        send(into: &actions) { ping.encode(requestID: requestID, into: &$0) }
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
        guard !subscriber.isDiverged else { return }
        guard let askers = heads.answered(requestID: requestID) else { return }
        for asker in askers {
            actions.append(
                .headKnown(
                    shard: asker.shard, number: asker.number, head: pong.head.position))
        }
        continueHeads(now: now, into: &actions)
    }
}
