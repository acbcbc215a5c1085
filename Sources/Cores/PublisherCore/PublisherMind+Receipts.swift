import CacheAccess
import CacheInvalidation
import CacheMetrics
import CacheModel
import CacheWire

/// AWAIT, and the end of every wait for a receipt. docs/decisions/0031 gives the reasons.
extension PublisherMind {
    /// AWAIT: which nodes have applied a record that is in the log already. The wait begins at
    /// once, with the current grants.
    ///
    /// A position in an epoch that is over is applied by every node that has applied a record of a
    /// later one: entering an epoch hides everything filled before it.
    mutating func takeAwait(_ message: IncomingMessage) throws(WireRefusal) {
        let (requester, now) = (message.requester, message.now)
        let request = try AwaitRequest(decoding: message.view.body)
        guard log.isStanding else {
            let sentence = log.whyNotStanding + "; ask again"
            return output.refuse(requester, .busy, sentence)
        }
        let (position, head) = (request.position, log.head.position)
        guard position <= head, position.sequence != .none else {
            let sentence = "there is no record at \(position): the log ends at \(head)"
            return output.refuse(requester, .outOfRange, sentence)
        }
        guard hasRoomForWait else {
            return output.refuse(requester, .busy, "too many receipts are waited for")
        }
        guard mayWait(message, 0) else {
            let sentence = "your key waits for as many receipts as it may"
            return output.refuse(requester, .busy, sentence)
        }
        output.statistics.receiptsAsked += 1
        waitShares.enter(requester.principal, 0)
        var who = Waiting(requester: requester, isQuestion: true)
        who.isToldIssuer = message.entry?.mayFollowLog ?? true
        var order = ReceiptTracker.Order(
            token: nextToken(for: who), position: position, goal: goal(of: request.wait),
            deadline: Self.deadline(request.timeoutMilliseconds, message.fields, now: now))
        order.appendedAt = recent[position]?.appendedAt
        receipts.begin([order], grants: grants, now: now)
    }

    /// Sends the receipts of the waits that are over at `now`.
    mutating func answerReceipts(at now: Instant) {
        for outcome in receipts.takeFinished(at: now) {
            guard let who = waiting.removeValue(forKey: outcome.order.token) else { continue }
            waitShares.leave(who.requester.principal)
            var receipt = receipt(for: outcome)
            if who.isQuestion {
                let record = recent[outcome.order.position]
                receipt.issuer = who.isToldIssuer ? record?.issuer : nil
            } else if outcome.isComplete {
                output.statistics.receiptsComplete += 1
            } else {
                output.statistics.receiptsIncomplete += 1
            }
            let requester = who.requester
            noteTimes(of: outcome, isQuestion: who.isQuestion)
            if !who.isQuestion { noteReceipt(outcome, to: requester, now: now) }
            output.reply(to: requester) {
                receipt.encode(requestID: requester.requestID, into: &$0)
            }
        }
    }

    /// Records the times of nodes. AWAIT may come at any time, and a wait for no node measures
    /// nothing.
    private mutating func noteTimes(of outcome: ReceiptOutcome, isQuestion: Bool) {
        guard !isQuestion, outcome.order.goal != .nothing else { return }
        for line in outcome.applied { appliedTimes.note(line.elapsed) }
    }

    private func receipt(for outcome: ReceiptOutcome) -> Receipt {
        let mode: WaitMode =
            switch outcome.order.goal {
            case .nothing: .none
            case .nodes: .quorum
            case .everyHolder: .all
            }
        // A near cache relies on the remaining lease of the answer that filled it. That answer may
        // have been sent right before the last node applied the record, under a longer lease than
        // the current ones.
        let lease = max(plan.lease, grants.longestLease(at: turnEndedAt) ?? .zero)
        var receipt = Receipt(
            position: outcome.order.position, wait: mode, isComplete: outcome.isComplete,
            nearCacheMilliseconds: UInt32(clamping: lease.wholeMilliseconds))
        receipt.applied = outcome.applied.map { .init(node: $0.node, elapsed: $0.elapsed) }
        receipt.expired = outcome.expired.map { .init(node: $0.node, elapsed: $0.elapsed) }
        receipt.pending = outcome.pending
        return receipt
    }
}
