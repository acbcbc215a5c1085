import ByteCoding
import CacheAccess
import CacheModel
import CacheWire

/// Leaving in order: new work is refused, entries are still served, work under way is finished.
///
/// Where the log assigns slots, a shard goes on with its keys until others own them.
///
/// | refused as `draining` | continues |
/// |---|---|
/// | a store; the first chunk of an upload; the right to load a key | a get, also a FRESH one |
/// | | a store that the publisher has already ordered; an upload that has begun, and its store |
/// | | a removal and a new time to live, which add nothing |
extension ShardCore {
    /// Whether the node is leaving, and others have its slots. Inlined: a call copies the core.
    @inline(__always)
    var isDraining: Bool { cluster.isDraining(log.standing.state) }

    /// Handles the order to leave, any number of times. From here on this shard accepts nothing
    /// new; the others learn of it from the control thread.
    mutating func answerDrain(
        _ plan: Plan, into replies: inout ReplyBuffer, effects: inout [ShardEffect]
    ) {
        do throws(WireRefusal) {
            let order = try NodeOrder(decoding: plan.message)
            guard order.node == options.node else {
                throw WireRefusal(
                    .notRegistered,
                    "this shard is of another node; the topology tells where each one's shards are")
            }
            cluster.askToDrain()
            recorder.audit.append(
                .drain(order.node), of: plan.frame, by: admission.entry(of: plan.frame.principal))
            effects.append(.drain)
            let start = replies.writer.count
            Done(incarnation: options.incarnation, runCount: 1)
                .encode(requestID: plan.message.requestID, into: &replies.writer)
            replies.close(from: start, to: plan.frame.peer, claimsFresh: false)
        } catch {
            refuse(plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
    }

    /// Whether a SET was accepted before the node began to leave: the publisher has ordered it, or
    /// its value was sent before.
    func isUnderWay(_ plan: Plan) -> Bool {
        plan.orderedAt != nil || uploads.haveBegun(for: plan.message, from: plan.frame.peer)
    }

    /// Reports once that no work is under way any more, after the node began to leave. To be called
    /// at the end of a turn.
    package mutating func noteDrained(effects: inout [ShardEffect]) {
        guard isDraining, !hasWaiting, uploads.count == 0, cluster.finishDraining() else { return }
        effects.append(.drained)
    }
}
