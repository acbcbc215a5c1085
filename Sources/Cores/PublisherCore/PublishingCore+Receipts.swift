import CacheInvalidation
import CacheModel
import CacheWire

/// AWAIT, and the end of waits.
extension PublishingCore {
    /// AWAIT: which nodes have applied a record that is in the log already. The wait begins at
    /// once, with the current grants.
    ///
    /// A position in an epoch that is over is applied by every node that has applied a record of a
    /// later one: entering an epoch hides everything filled before it.
    mutating func takeAwait(_ message: IncomingMessage) throws(WireRefusal) {
        let request = try AwaitRequest(decoding: message.view.body)
        let requester = message.requester
        guard log.isStanding else {
            return output.refuse(requester, .busy, log.whyNotStanding + "; ask again")
        }
        let (position, head) = (request.position, log.head.position)
        guard position <= head, position.sequence != .none else {
            let sentence = "there is no record at \(position): the log ends at \(head)"
            return output.refuse(requester, .outOfRange, sentence)
        }
        guard hasRoomForWait else {
            return output.refuse(requester, .busy, "too many receipts are waited for")
        }
        guard admission.mayWait(message, 0) else {
            let sentence = "your key waits for as many receipts as it may"
            return output.refuse(requester, .busy, sentence)
        }
        output.statistics.receiptsAsked += 1
        admission.shares.enter(requester.principal, 0)
        receipts.begin(request, of: message, plan, among: nodes.grants)
    }

    /// Sends the receipts of the waits that are over at `now`.
    mutating func answerReceipts(at now: Instant) {
        // A near cache relies on the remaining lease of the answer that filled it. That answer may
        // have been sent right before the last node applied the record, under a longer lease than
        // the current ones.
        let lease = max(plan.lease, nodes.grants.longestLease(at: turnEndedAt) ?? .zero)
        receipts.finish(at: now, lease: lease, shares: &admission.shares, output: &output)
    }
}
