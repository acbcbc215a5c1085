import CacheAccess
import CacheModel
import CacheWire

/// Rate limits of principals, if clients are identified. docs/decisions/0055 gives the reasons.
extension ShardCore {
    /// Charges a message to its sender's budget.
    ///
    /// - Throws: `busy`, with the time until the budget permits it.
    mutating func charge(
        _ message: MessageView, of frame: RequestFrame, now: Instant
    ) throws(WireRefusal) {
        let charge = budgets.charge(
            frame.principal, operations: max(1, message.count), bytes: frame.bytes.count, now: now)
        guard case .beyond(let retryAfter) = charge else { return }
        statistics.busy += 1
        statistics.overBudget += 1
        throw WireRefusal(
            .busy, "your key has asked as much as it may", retryAfterMilliseconds: retryAfter)
    }

    /// Charges the answer as well.
    mutating func pay(
        _ principal: PrincipalNumber, from byteCount: Int, in replies: borrowing ReplyBuffer,
        now: Instant
    ) {
        guard access != nil else { return }
        budgets.pay(principal, bytes: replies.byteCount - byteCount, now: now)
    }

    /// Charges the entries that a page of a scan examined: that is the work, whatever was found.
    /// The first operation was charged with the message.
    mutating func pay(_ principal: PrincipalNumber, lookCount: Int, now: Instant) {
        guard access != nil else { return }
        budgets.pay(principal, operations: lookCount / ShardLimits.scanLooksPerOperation, now: now)
    }

    /// Whether one more refusal is answered. A sender that is refused without end gets no answers.
    mutating func isRefusalSaid(to principal: PrincipalNumber, now: Instant) -> Bool {
        guard access != nil, !budgets.mayRefuse(principal, now: now) else { return true }
        statistics.refusedMessages += 1
        statistics.refusedSilently += 1
        return false
    }
}
